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

/// The keys by which servers know each other, and what they write of each request that one sends to another:
///
///     Via: 1.1 statecast
///     Statecast-Relayed: 1795748000000 203.0.113.5 9c1f… 4711 0f4c…
///
/// A `RelayNote`, and the code of all that is sent, made by the key: the last field of the head. It counts
/// on the inner listener alone.
struct ClusterKeys: Sendable {
    private static let field = "Statecast-Relayed"
    /// The clocks of servers may differ by so much.
    static let skew: Int64 = 30_000
    private static let keyByteCount = 16

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

    /// A client's request as it is sent to another server.
    ///
    /// - Parameter bytes: the head, and the body behind it.
    func relayed(
        _ head: RequestHead, in bytes: Span<UInt8>, to receiver: SocketAddress, _ note: RelayNote
    ) -> [UInt8] {
        var message: [UInt8] = []
        message.append(copying: bytes.extracting(head.methodName.range))
        message.append(UInt8(ascii: " "))
        message.append(copying: bytes.extracting(head.target.range))
        message += " HTTP/1.1\r\n".utf8
        head.forEachField(in: bytes) { name, value in
            guard !Self.ownFields.contains(name.string(in: bytes).lowercased()) else { return }
            message.append(copying: bytes.extracting(name.range))
            message += ": ".utf8
            message.append(copying: bytes.extracting(value.range))
            message += "\r\n".utf8
        }
        // HTTP/1.0 does without.
        if head.value(.host) == nil { message += "Host: localhost\r\n".utf8 }
        let body = Array(copying: bytes.extracting(head.byteCount...))
        if !body.isEmpty || !head.method.isSafe {
            message += "Content-Length: \(body.count)\r\n".utf8
        }
        message += "Via: 1.1 statecast\r\n".utf8
        let signed = Array("\(receiver) \(note)\n".utf8) + message + body
        let code = String(hashes[0].number(of: signed.span), radix: 16)
        message += "\(Self.field): \(note) \(code)\r\n\r\n".utf8
        return message + body
    }

    /// What another server has written of a request; nil where none with a key has sent it to this one, a
    /// moment ago.
    ///
    /// - Parameter now: the wall clock in milliseconds.
    func admit(
        _ head: RequestHead, in bytes: Span<UInt8>, at own: SocketAddress, now: Int64
    ) -> RelayNote? {
        guard let value = head.last(Self.field, in: bytes),
            // What stood behind it would not be a part of the code.
            value.range.upperBound + 4 == head.byteCount
        else { return nil }
        let parts = value.string(in: bytes).split(separator: " ").map(String.init)
        guard let note = RelayNote(parts.dropLast()),
            (now - Self.skew...now + Self.skew).contains(note.time),
            let code = parts.last.flatMap({ UInt128($0, radix: 16) })
        else { return nil }
        let line = value.range.lowerBound - Self.field.utf8.count - 2
        var message = Array("\(own) \(note)\n".utf8)
        message.append(copying: bytes.extracting(..<line))
        message.append(copying: bytes.extracting(head.byteCount...))
        return hashes.contains { $0.number(of: message.span) == code } ? note : nil
    }
}

/// What a server writes of a request that it sends to another: no two have the same.
struct RelayNote: CustomStringConvertible {
    /// In milliseconds, by the sender's clock.
    let time: Int64
    let client: IPAddress
    /// One loop of one process.
    let sender: UInt64
    /// The number of the request among all of the sender.
    let serial: UInt64

    var description: String { "\(time) \(client) \(String(sender, radix: 16)) \(serial)" }
}

extension RelayNote {
    /// Nil for what is no note.
    init?(_ parts: ArraySlice<String>) {
        guard parts.count == 4, let time = Int64(parts[0]),
            let client = IPAddress(parsing: parts[1]), let sender = UInt64(parts[2], radix: 16),
            let serial = UInt64(parts[3])
        else { return nil }
        self.init(time: time, client: client, sender: sender, serial: serial)
    }
}
