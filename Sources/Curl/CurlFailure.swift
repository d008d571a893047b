internal import CCurl

/// An error that libcurl reports.
package struct CurlFailure: Error, Sendable, Hashable {
    /// The kinds that callers tell apart.
    package enum Kind: Sendable, Hashable {
        case badURL, notConnected, connectionLost, timedOut, badAnswer, cutByReceiver
        case tooManyRedirects, other
    }

    /// The `CURLcode`.
    package let code: Int
    /// libcurl's own sentence.
    package let detail: String

    init(_ code: CURLcode, detail: String = "") {
        self.code = Int(code.rawValue)
        self.detail = detail.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : detail
    }

    /// The code, sorted.
    package var kind: Kind {
        switch CURLcode(UInt32(code)) {
        case CURLE_URL_MALFORMAT: .badURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
            CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE:
            .notConnected
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            .connectionLost
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            .badAnswer
        case CURLE_WRITE_ERROR: .cutByReceiver
        case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirects
        default: .other
        }
    }
}
