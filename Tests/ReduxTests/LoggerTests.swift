import Redux
import Synchronization
import Testing

private struct Account: Sendable, Equatable {
    var balance = 0
    var tags: [String] = []
    var owner: String?
    var password = Secret("open-sesame")
}

private enum AccountAction: Sendable {
    case paid(Int)
    case tagged(String)
    case opened(by: String, password: Secret<String>)
}

/// What was written, in its order.
private final class Lines: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
}

@Suite struct `The logger` {
    private func log(_ actions: [AccountAction]) -> [String] {
        let lines = Lines()
        let store = Store<Account, AccountAction>(
            initial: Account(),
            reducer: { state, action, _ in
                switch action {
                case .paid(let sum): state.balance += sum
                case .tagged(let tag): state.tags.append(tag)
                case .opened(let owner, let password):
                    state.owner = owner
                    state.password = password
                }
            },
            middleware: [.logger { lines.add($0) }],
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        for action in actions { store.dispatch(action) }
        return lines.all
    }

    @Test func `tells the action and what differs`() {
        #expect(
            log([.paid(5), .tagged("new"), .paid(0)]) == [
                "#1 client paid(5)\n  balance: 0 → 5",
                "#2 client tagged(\"new\")\n  tags: [] → [\"new\"]",
                "#3 client paid(0)",
            ])
    }

    @Test func `lets no text of a client begin a line`() {
        let lines = log([.opened(by: "eve\n#2 client paid(5)", password: Secret("a"))])
        #expect(lines.count == 1)
        #expect(lines[0].split(separator: "\n").allSatisfy { !$0.hasPrefix("#2") })
    }

    @Test func `hides parts of the state, and goes by a name`() {
        let lines = Lines()
        let store = Store<Account, AccountAction>(
            initial: Account(),
            reducer: { state, _, _ in
                state.owner = "hunter2"
                state.balance += 1
            },
            middleware: [
                .logger(
                    name: "short", redact: { _ in "paid" }, hiding: ["owner"],
                    write: { lines.add($0) })
            ],
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        store.dispatch(.paid(1))
        let text = "#1 client paid\n  balance: 0 → 1\n  owner: <redacted> → <redacted>"
        #expect(lines.all == [text])
        #expect(store.switchMiddleware("short", isEnabled: false))
        #expect(!store.switchMiddleware("logger", isEnabled: false))
    }

    @Test func `shows the beginning of a long text, also where only its end differs`() {
        let long = String(repeating: "x", count: 1_000_000)
        let lines = StateDiff.lines(["text": long], ["text": long + "y"])
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.count < 400 })
    }

    @Test func `shows no secret, neither in the action nor in the state`() {
        let text = log([.opened(by: "rosa", password: Secret("hunter2"))]).joined()
        #expect(text.contains("owner: nil → \"rosa\""))
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("sesame"))
    }

    @Test func `tells of elements by their place`() {
        let lines = StateDiff.lines([1, 2, 3], [1, 5, 3, 4])
        #expect(lines == ["[1]: 2 → 5", "[3]: absent → 4"])
    }

    @Test func `bounds what it tells`() {
        let lines = StateDiff.lines(Array(0..<500), Array(1..<501), limit: 10)
        #expect(lines.count == 11)
        #expect(lines.last == "…")
    }
}
