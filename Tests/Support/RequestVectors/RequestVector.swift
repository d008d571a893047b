/// One request as raw bytes, and what a server has to make of it.
///
/// Characters of the text stand for bytes: `"\u{FF}"` is the byte 255.
public struct RequestVector: Sendable, CustomStringConvertible {
    /// What a server has to make of the bytes.
    public enum Expectation: Sendable, Hashable {
        /// The head is taken.
        case accepted(Head)
        /// The head is refused with this status, and the connection closed.
        case refused(Int)
        /// More bytes are awaited.
        case incomplete
    }

    /// What a taken head says.
    public struct Head: Sendable, Hashable {
        /// How the body's end is found.
        public enum Body: Sendable, Hashable {
            case none
            case length(Int)
            case chunked
        }

        /// As it was sent.
        public var method = "GET"
        /// As it was sent; empty for `*`, for CONNECT, and for a URL without a path.
        public var path = "/"
        /// As it was sent.
        public var query = ""
        /// Host and port.
        public var authority = "a"
        /// How the body's end is found.
        public var body = Body.none
        /// Whether the connection stays.
        public var keepAlive = true
        /// Whether `100 Continue` is awaited.
        public var expectsContinue = false
        /// Whether something unknown is expected: 417.
        public var hasUnknownExpectation = false
        /// Whether the version is 1.0.
        public var isHTTP10 = false
        /// How many of the bytes follow the head.
        public var byteCountBehind = 0

        /// `GET / HTTP/1.1` at the host `a`.
        public init() {}
    }

    /// Where it is written.
    public var section: String
    /// The case in words.
    public var name: String
    /// The raw request.
    public var bytes: [UInt8]
    /// What has to come of it.
    public var expectation: Expectation

    init(_ section: String, _ name: String, _ text: String, _ expectation: Expectation) {
        self.section = section
        self.name = name
        bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        self.expectation = expectation
    }

    /// Section and case.
    public var description: String { "\(section): \(name)" }
}

extension RequestVector {
    /// Whether it is a GET that is refused.
    public var isGetRefused: Bool {
        guard case .refused = expectation else { return false }
        return bytes.starts(with: "GET ".utf8)
    }

    /// A GET as HEAD: to be answered in the same way, without content (RFC 9110 §9.3.2).
    public var asHead: RequestVector {
        var vector = self
        vector.name += ", of HEAD"
        vector.bytes.replaceSubrange(..<3, with: "HEAD".utf8)
        return vector
    }
}

extension RequestVector {
    /// A request that is taken, like `GET / HTTP/1.1` at the host `a` but for some things.
    static func taken(
        _ section: String, _ name: String, _ text: String, _ change: (inout Head) -> Void = { _ in }
    ) -> RequestVector {
        var head = Head()
        change(&head)
        return RequestVector(section, name, text, .accepted(head))
    }

    static func refused(
        _ section: String, _ name: String, _ text: String, _ status: Int = 400
    ) -> RequestVector {
        RequestVector(section, name, text, .refused(status))
    }

    /// A head of these lines, at the host `a`.
    static func head(_ lines: String..., start: String = "GET / HTTP/1.1") -> String {
        ([start, "Host: a"] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    static func post(_ lines: String...) -> String {
        (["POST / HTTP/1.1", "Host: a"] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// A request line alone, with the field Host.
    static func line(_ start: String) -> String { head(start: start) }
}

extension RequestVector {
    /// All of them.
    public static let all = listed + limits
}
