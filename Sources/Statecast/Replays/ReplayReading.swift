import HTTPMessages
import HTTPServer
import Redux
import Sessions
import Sockets

/// A recording that was posted and is being read, and the request that waits for its session.
final class ReplayReading: ExchangeObserver {
    /// The session that is wished for, and by whom.
    struct Wish {
        let id: SessionID
        let mode: ReplayMode
        let mount: Int
        let principal: Principal
        let maker: SessionMaker
    }

    let wish: Wish
    let exchange: Exchange
    private let number: UInt64
    private let replays: Replays
    private let description: DescriptionResource

    /// - Parameter number: names the reading among those of its loop.
    init(
        _ number: UInt64, _ wish: Wish, _ exchange: Exchange, of replays: Replays,
        _ description: DescriptionResource
    ) {
        self.number = number
        self.wish = wish
        self.exchange = exchange
        self.replays = replays
        self.description = description
    }

    /// Answers with the session that plays the recording.
    func answer(with session: Session, on loop: isolated EventLoop) {
        description.describe(
            session, .created, to: .post, by: wish.principal, exchange, on: loop)
    }

    /// Nobody waits for the session any more.
    func exchangeClosed(on loop: isolated EventLoop) { replays.forget(number) }
}
