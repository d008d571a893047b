import HTTPMessages
import HTTPServer
import Redux
import Sessions
import Sockets

/// A recording that was posted and is being read, and the request that waits for its session.
final class ReplayReading: ExchangeObserver {
    /// The session that is asked for, and by whom.
    struct Order {
        let id: SessionID
        let mode: ReplayMode
        let mount: Int
        let caller: Caller
        let maker: SessionMaker
    }

    let order: Order
    let exchange: Exchange
    /// The memory that the reading may take, in bytes.
    let byteCount: Int
    /// The client has gone.
    private(set) var isCancelled = false
    private let task: Task<Void, Never>
    private let description: DescriptionResource

    init(
        _ order: Order, _ exchange: Exchange, byteCount: Int, _ task: Task<Void, Never>,
        _ description: DescriptionResource
    ) {
        self.order = order
        self.exchange = exchange
        self.byteCount = byteCount
        self.task = task
        self.description = description
    }

    deinit { task.cancel() }

    /// Answers with the session that plays the recording.
    func answer(with session: Session, on loop: isolated EventLoop) {
        description.describe(
            session, .created, to: .post, by: order.caller, exchange, on: loop)
    }

    /// The client has gone before its answer: the reading ends soon, and makes no session.
    func exchangeClosed(on loop: isolated EventLoop) {
        isCancelled = true
        task.cancel()
    }
}
