import Bytes
import HTTPMessages
import HTTPServer
import Journaling
import Sockets
import Threads

/// How servers that share a journal answer for each other's sessions: a request for a session that another
/// one has is sent there, by a listener that clients never reach.
///
///     configuration.cluster = Cluster(host: "10.0.0.7", keyFile: "/run/secrets/cluster.key")
public struct Cluster: Sendable {
    /// An address of a private network, or a name for one: what servers send each other is not encrypted.
    public var host: String
    /// 0 for any free one: servers tell each other by the journal.
    public var port: Int
    /// The file of the key that all servers have: 16 random bytes. Behind them may stand 16 others, by which
    /// requests are taken as well: while a key is changed, each server in turn is given the old one and the
    /// new one, then the new one and the old one, then the new one alone.
    public var keyFile: String
    /// The server's part of the sessions: who has 2 opens twice as many as who has 1, and one that is tried out
    /// 0.01.
    public var share: Double

    /// Any free port unless set.
    public init(host: String, port: Int = 0, keyFile: String, share: Double = 1) {
        (self.host, self.port, self.keyFile, self.share) = (host, port, keyFile, share)
    }

    /// Listens where no client can be, and reads the keys.
    func open(
        _ limits: HTTPLimits = HTTPLimits()
    ) throws(ServerError) -> (Listener, ClusterKeys) {
        guard let keys = ClusterKeys(PrivateFolder.readKey(keyFile) ?? []) else {
            throw .badCluster("The key file \(keyFile) has to hold 16 random bytes, or 32.")
        }
        guard (0.001...1_000).contains(share) else {
            throw .badCluster("A server's share of the sessions is 0.001 to 1000.")
        }
        guard !PrivateFolder.isOpenToAll(keyFile) else {
            throw .badCluster("The key file \(keyFile) is open to others: make it 0600.")
        }
        let listener: Listener
        do throws(SystemError) {
            listener = try Listener(
                host: host, port: port, userTimeout: limits.unacknowledgedDuration)
        } catch {
            throw .badCluster("Other servers cannot be listened for on \(host):\(port): \(error).")
        }
        guard listener.address.host.isPrivate else {
            throw .badCluster("\(host) is no address of a private network.")
        }
        return (listener, keys)
    }
}

/// The keys by which servers know each other. One that connects sends a word, and is answered by a number and
/// a code of both; whatever it then sends ends its head so:
///
///     Via: 1.1 statecast
///     Statecast-Relayed: 203.0.113.5 0f4c… 77a1…
///
/// The client's address, the code of the body, and that of the head, of the connection's number, and of the
/// request's number on it: what comes again, or elsewhere, counts for nothing. So does it but on the inner
/// listener. A body is taken behind a right head alone.
///
/// This is the first version of what servers say to each other. A later one is offered by a field of its own
/// beside the word, and taken by one beside the code: who knows neither is spoken to as here.
struct ClusterKeys: Sendable {
    private static let (field, greeting) = ("Statecast-Relayed", "Statecast-Hello")
    private static let keyByteCount = 16
    private static let endOfHead = Array("\r\n\r\n".utf8)

    private let hashes: [KeyedHash]

    /// Nil where there is neither one key nor two.
    init?(_ bytes: [UInt8]) {
        guard [Self.keyByteCount, 2 * Self.keyByteCount].contains(bytes.count) else { return nil }
        hashes = stride(from: 0, to: bytes.count, by: Self.keyByteCount).map {
            KeyedHash(key: Array(bytes[$0..<$0 + Self.keyByteCount]))
        }
    }

    /// Fields of a connection, of a framing that is taken off, or of a server.
    private static let ownFields: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade", "expect", "content-length", "content-encoding", field.lowercased(),
    ]

    /// A client's request as it is sent to another server, once it is signed.
    ///
    /// - Parameter bytes: the head, and the body behind it.
    static func relayed(
        _ head: RequestHead, in bytes: Span<UInt8>, of client: IPAddress
    ) -> [UInt8] {
        var message: [UInt8] = []
        message.append(copying: bytes.extracting(head.methodName.range))
        message.append(UInt8(ascii: " "))
        message.append(copying: bytes.extracting(head.target.range))
        message += " HTTP/1.1\r\n".utf8
        head.forEachField(in: bytes) { name, value in
            guard !ownFields.contains(name.string(in: bytes).lowercased()) else { return }
            message.append(copying: bytes.extracting(name.range))
            message += ": ".utf8
            message.append(copying: bytes.extracting(value.range))
            message += "\r\n".utf8
        }
        // HTTP/1.0 does without.
        if head.value(.host) == nil { message += "Host: localhost\r\n".utf8 }
        let body = bytes.extracting(head.byteCount...)
        if !body.isEmpty || !head.method.isSafe {
            message += "Content-Length: \(body.count)\r\n".utf8
        }
        message += last(client).utf8
        message.append(copying: body)
        return message
    }

    /// A request of this server itself, once it is signed.
    ///
    /// - Parameters:
    ///   - line: `GET /a`
    ///   - fields: each with the end of its line.
    ///   - body: JSON.
    static func own(_ line: String, _ fields: String = "", body: [UInt8] = []) -> [UInt8] {
        let type = "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
        let fields = (body.isEmpty ? "" : type) + fields + last(.ofServers)
        return Array("\(line) HTTP/1.1\r\nHost: localhost\r\n\(fields)".utf8) + body
    }

    private static func last(_ client: IPAddress) -> String {
        "Via: 1.1 statecast\r\n\(field): \(client)\r\n\r\n"
    }

    /// Puts the codes into a request that is to be sent.
    func sign(_ message: [UInt8], at place: PeerPlace) -> [UInt8] {
        // `firstRange(of:)` takes 50 µs for this, a fifth of what a relay costs.
        let end = message.indices.first { message[$0...].starts(with: Self.endOfHead) }
        guard let end else { preconditionFailure("A request has a head.") }
        let body = message[(end + Self.endOfHead.count)...]
        let head = Array(message[..<end]) + " \(code(of: "body\n", body))".utf8
        let last = code(of: "\(place)\n", (head + Self.endOfHead)[...])
        return head + " \(last)".utf8 + message[end...]
    }

    /// The client whose request another server has sent; nil where none with a key has sent it to this place.
    ///
    /// - Parameter body: where it is in the bytes; nil where the head alone is judged.
    func admit(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>? = nil, at place: PeerPlace
    ) -> IPAddress? {
        guard let value = head.last(Self.field, in: bytes),
            // What stood behind it would not be a part of the code.
            value.range.upperBound + 4 == head.byteCount
        else { return nil }
        let parts = value.string(in: bytes).split(separator: " ")
        guard parts.count == 3, let client = IPAddress(parsing: String(parts[0]))
        else { return nil }
        let end = value.range.upperBound - parts[2].utf8.count - 1
        // What is no UTF-8 is longer as text.
        guard end > value.range.lowerBound else { return nil }
        var message = [UInt8](copying: bytes.extracting(..<end))
        message.append(copying: bytes.extracting((head.byteCount - 4)..<head.byteCount))
        guard isCode(parts[2], of: "\(place)\n", message) else { return nil }
        guard let body else { return client }
        message = [UInt8](copying: bytes.extracting(body))
        return isCode(parts[1], of: "body\n", message) ? client : nil
    }

    // MARK: The beginning of a connection

    /// What one that connects is answered; nil where it has sent no word.
    func greeting(
        to head: RequestHead, in bytes: Span<UInt8>, at place: PeerPlace
    ) -> (field: String, value: String)? {
        let word = head.last(Self.greeting, in: bytes).flatMap { UInt64($0.string(in: bytes)) }
        guard let word else { return nil }
        let code = code(of: Self.text(word, place.nonce, place.receiver))
        return (Self.greeting, "\(place.nonce) \(code)")
    }

    /// The number of the connection, by the answer of one that has a key.
    func greeted(_ answer: String, word: UInt64, by receiver: SocketAddress) -> UInt64? {
        let parts = answer.split(separator: " ")
        guard parts.count == 2, let nonce = UInt64(parts[0]),
            isCode(parts[1], of: Self.text(word, nonce, receiver))
        else { return nil }
        return nonce
    }

    private static func text(_ word: UInt64, _ nonce: UInt64, _ receiver: SocketAddress) -> String {
        "hello \(word) \(nonce) \(receiver)"
    }

    // MARK: Codes

    private func code(of text: String, _ message: ArraySlice<UInt8> = []) -> String {
        let bytes = Array(text.utf8) + message
        return String(hashes[0].number(of: bytes.span), radix: 16)
    }

    private func isCode(
        _ code: Substring, of text: String, _ message: [UInt8] = []
    ) -> Bool {
        let (bytes, number) = (Array(text.utf8) + message, UInt128(code, radix: 16))
        return hashes.contains { $0.number(of: bytes.span) == number }
    }
}
