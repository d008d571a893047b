internal import CCurl

/// libcurl's own state, which has to be set up before the first handle.
enum Library {
    private static let status = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// The first call does it, on whatever thread; the others wait for it and pass.
    static func start() {
        precondition(status == CURLE_OK, "libcurl cannot be initialized")
    }
}
