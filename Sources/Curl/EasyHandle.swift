internal import CCurl

/// One transfer of libcurl, owned once.
///
/// Not Sendable: it is made, performed and destroyed on one thread.
@safe package struct EasyHandle: ~Copyable {
    /// Takes the answer. The handle keeps it alive, so that libcurl's pointer to it is valid
    /// as long as the handle is.
    package let receiver: Receiver

    let pointer: UnsafeMutableRawPointer
    private var lines: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    /// A handle that knows nothing yet but where the answer goes.
    package init(receiver: Receiver) {
        startLibrary()
        guard let pointer = unsafe curl_easy_init() else {
            preconditionFailure("libcurl found no memory for a handle")
        }
        unsafe self.pointer = unsafe pointer
        self.receiver = receiver
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe lines = nil
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe curl_slist_free_all(lines)
        unsafe errorText.deallocate()
    }

    /// Names the handle among others that live; `MultiHandle.nextDone` answers it.
    package var id: UInt { UInt(bitPattern: unsafe pointer) }

    /// Of the last answer received; 0 before it.
    package var status: Int { unsafe ccurl_status(pointer) }

    /// The connection stood, and the request could be sent.
    package var hasConnected: Bool { unsafe ccurl_has_connected(pointer) }

    /// libcurl's most precise description of the last failure; empty if it has none.
    package var failureDetail: String { unsafe String(cString: errorText) }

    /// Makes it ready to be added to a `MultiHandle`. Called once.
    ///
    /// - Parameters:
    ///   - url: absolute, `http:` or `https:`.
    ///   - method: a token of RFC 9110 §9.1.
    ///   - fields: names and values without CR, LF and NUL.
    ///   - body: nil: no body and no Content-Length.
    package mutating func configure(
        url: String, method: String, fields: [(name: String, value: String)], body: [UInt8]?
    ) throws(CurlFailure) {
        try setReceivers()
        try setRequest(url, method, fields, body)
    }

    private func setReceivers() throws(CurlFailure) {
        // The receiver is retained by `self` and not by the pointer: libcurl calls back only
        // inside of curl_multi_perform, which borrows a handle that was added and not removed.
        let context = unsafe Unmanaged.passUnretained(receiver).toOpaque()
        try check(unsafe ccurl_set_receivers(pointer, receiveHead, receiveBody, context))
        try check(unsafe ccurl_set_error_buffer(pointer, errorText))
    }

    /// Says how far the transfer may go.
    ///
    /// - Parameters:
    ///   - redirectLimit: 0: a 3xx is the answer.
    ///   - isRepeatable: the request may be sent a second time. libcurl does so when a reused connection
    ///     ends before the answer begins; one that may not goes over a new connection, where libcurl
    ///     never does.
    ///   - connectTimeout: until the connection stands.
    ///   - totalTimeout: from the start to the last byte.
    ///   - certificates: the file of those that are trusted; nil: the system's are.
    package func setRules(
        redirectLimit: Int, isRepeatable: Bool, connectTimeout: Duration, totalTimeout: Duration,
        trusting certificates: String?
    ) throws(CurlFailure) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        // An empty proxy: the environment does not steer where requests go.
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_FRESH_CONNECT, isRepeatable ? 0 : 1)
        try set(CURLOPT_FOLLOWLOCATION, redirectLimit > 0 ? 1 : 0)
        try set(CURLOPT_MAXREDIRS, redirectLimit)
        try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, connectTimeout.milliseconds))
        try set(CURLOPT_TIMEOUT_MS, max(1, totalTimeout.milliseconds))
        if let certificates { try set(CURLOPT_CAINFO, certificates) }
    }

    private mutating func setRequest(
        _ url: String, _ method: String, _ fields: [(name: String, value: String)], _ body: [UInt8]?
    ) throws(CurlFailure) {
        try set(CURLOPT_URL, url)
        if let body {
            try check(
                unsafe body.withUnsafeBytes { bytes in
                    unsafe ccurl_set_body(pointer, bytes.baseAddress, bytes.count)
                })
        }
        switch method {
        case "GET" where body == nil: try set(CURLOPT_HTTPGET, 1)
        case "HEAD" where body == nil: try set(CURLOPT_NOBODY, 1)
        case "POST" where body != nil: break
        default: try set(CURLOPT_CUSTOMREQUEST, method)
        }
        for field in fields {
            // libcurl's form for a field without a value is a semicolon.
            let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            try append(line)
        }
        let hasType = fields.contains { $0.name.lowercased() == "content-type" }
        if body != nil && !hasType { try append("Content-Type:") }
        try append("Expect:")
        try check(unsafe ccurl_set_fields(pointer, lines))
    }

    private mutating func append(_ line: String) throws(CurlFailure) {
        guard let longer = unsafe curl_slist_append(lines, line) else {
            throw CurlFailure(CURLE_OUT_OF_MEMORY)
        }
        unsafe lines = unsafe longer
    }

    private func set(_ option: CURLoption, _ value: Int) throws(CurlFailure) {
        try check(unsafe ccurl_set_long(pointer, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(CurlFailure) {
        guard !value.utf8.contains(0) else { throw CurlFailure(CURLE_URL_MALFORMAT) }
        try check(unsafe ccurl_set_string(pointer, option, value))
    }

    private func check(_ code: CURLcode) throws(CurlFailure) {
        guard code == CURLE_OK else { throw CurlFailure(code) }
    }
}

private func receiveHead(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    unsafe deliver(bytes, size * count, context) { $0.receive(line: $1) }
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    unsafe deliver(bytes, size * count, context) { $0.receive(body: $1) }
}

/// Anything but the whole count makes libcurl end the transfer.
private func deliver(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
    to receive: (Receiver, Span<UInt8>) -> Bool
) -> Int {
    guard let bytes = unsafe bytes, let context = unsafe context, count > 0 else { return 0 }
    // `context` is what `setReceivers` gave: a receiver that its handle keeps alive.
    let receiver = unsafe Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    let goesOn = unsafe buffer.withMemoryRebound(to: UInt8.self) { bytes in
        receive(receiver, unsafe bytes.span)
    }
    return goesOn ? count : -1
}

extension Duration {
    /// Whole milliseconds, rounded up; no more than fit 32 bits.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return Int(seconds) * 1000
            + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
