import HTTPMessages

/// The application and the session that a request is about, as access control is told them.
struct AccessSubject {
    /// The application's place; nil where the request is for no application.
    let mount: String?
    /// The id of the session as it stands in the request.
    let session: Slice?
}
