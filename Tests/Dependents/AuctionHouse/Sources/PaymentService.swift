import HTTPClient
import SignedHooks
import Statecast
import Synchronization

/// The mock of a payment service: slow, fails one time in three (it has charged by then, and tells
/// nobody), answers a repeated key as at first, and tells of each charge by a signed hook. Who owes more
/// than the limit is refused; so is whoever has not its word: a charge's id can be foreseen, and what it
/// tells of one is believed.
final class PaymentService: Sendable {
    private struct Book {
        var requestCount = 0
        /// By the keys of requests.
        var payments: [String: Payment] = [:]
        var takings: [String: Int] = [:]
        var address = ""
    }

    private let client: OutboundClient
    private let hook: SignedHook
    private let word: Secret<String>
    private let limit: Int
    private let pause: Duration
    private let book = Mutex(Book())

    init(
        _ client: OutboundClient, _ hook: SignedHook, word: Secret<String>, limit: Int,
        pause: Duration = .milliseconds(800)
    ) {
        (self.client, self.hook, self.word) = (client, hook, word)
        (self.limit, self.pause) = (limit, pause)
    }

    /// What was taken, by the charges' keys.
    var takings: [String: Int] { book.withLock { $0.takings } }
    var requestCount: Int { book.withLock { $0.requestCount } }

    /// Has the hook at this address told of each charge.
    func tells(_ address: String) { book.withLock { $0.address = address } }

    var route: Route {
        let access = { @Sendable [word] (request: AccessRequest) -> Access in
            word.matches(request.authorization ?? "")
                ? .granted(Principal("house")) : .unauthenticated
        }
        return Route(.post, "/payments/charges", access: .asking(access)) { [self] request in
            let invoice: Invoice = try request.decode()
            let key = HTTPField.Name("Idempotency-Key").flatMap { request.head.headerFields[$0] }
            try await ContinuousClock().sleep(for: pause)
            let (count, payment) = take(invoice, key ?? invoice.charge)
            guard count % 3 != 1 else { return RouteResponse(.serviceUnavailable) }
            try await tell(payment)
            return RouteResponse(.accepted)
        }
    }

    private func take(_ invoice: Invoice, _ key: String) -> (count: Int, payment: Payment) {
        book.withLock { book in
            book.requestCount += 1
            if let payment = book.payments[key] { return (book.requestCount, payment) }
            let isPaid = invoice.amount <= limit
            let payment = Payment(
                auction: invoice.auction, charge: invoice.charge, isPaid: isPaid)
            book.payments[key] = payment
            if isPaid { book.takings[key] = invoice.amount }
            return (book.requestCount, payment)
        }
    }

    private func tell(_ payment: Payment) async throws {
        var request = OutboundRequest(method: .post, url: book.withLock { $0.address })
        try StateEncoder().encode(payment, into: &request.body)
        request.fields[.contentType] = "application/json"
        if let name = HTTPField.Name("Payment-Signature") {
            request.fields[name] = hook.signature(of: request.body)
        }
        _ = try await client.execute(request)
    }
}
