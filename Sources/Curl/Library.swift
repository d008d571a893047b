internal import CCurl

private let status = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

/// Sets libcurl's own state up, before the first handle. The first call does it, on whatever thread;
/// the others wait for it and pass.
func startLibrary() {
    precondition(status == CURLE_OK, "libcurl cannot be initialized")
}
