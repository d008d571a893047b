import HTTPMessages
import HTTPServer
import Sessions
import Sockets

/// Tells which client a new session is counted to.
struct SessionMakers {
    /// The field in which the proxy in front names the client's address.
    let addressField: String?

    /// The session that a request has made.
    func start(
        of head: RequestHead, by principal: Principal, _ exchange: Exchange, _ body: Range<Int>,
        in bytes: Span<UInt8>
    ) -> SessionStart {
        SessionStart(
            maker: maker(of: head, by: principal, exchange, in: bytes), by: principal,
            input: SessionStart.input(in: bytes.extracting(body)))
    }

    /// The client into whose share a session counts that a request makes.
    func maker(
        of head: RequestHead, by principal: Principal, _ exchange: Exchange, in bytes: Span<UInt8>
    ) -> SessionMaker {
        guard principal.isAnonymous else { return .principal(principal.id) }
        let address = address(head, in: bytes) ?? exchange.remoteAddress
        let network = address.network
        return .network("\(network)")
    }

    /// The client's address as the proxy in front tells it: the last one of the field, which the
    /// proxy itself has added.
    private func address(_ head: RequestHead, in bytes: Span<UInt8>) -> IPAddress? {
        guard let name = addressField else { return nil }
        var last: String?
        head.forEachField(in: bytes) { field, value in
            guard field.isEqual(to: name, in: bytes) else { return }
            last = value.string(in: bytes).split(separator: ",").last.map {
                String($0.drop { $0 == " " }.prefix { $0 != " " })
            }
        }
        return last.flatMap { IPAddress(parsing: $0) }
    }
}
