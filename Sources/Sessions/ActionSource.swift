/// The origin of actions that are submitted to a session.
package enum ActionSource {
    /// A request, or code of the server that holds the session by a handle: so many bytes of JSON.
    case request(byteCount: Int)
    /// The server itself, which tells the application what becomes of the session.
    case server

    var byteCount: Int {
        switch self {
        case .request(let byteCount): byteCount
        case .server: 0
        }
    }

    var isRequest: Bool {
        if case .request = self { true } else { false }
    }
}
