import Redux
import Synchronization

/// The state of all measurements: what a small screen shows.
struct Tally: Sendable, Equatable {
    var count = 0
    var name = "tally"
    var items = [1, 2, 3]
    var isOpen = false

    var isNegative: Bool { count < 0 }

    mutating func apply(_ action: TallyAction) throws(Rejection) {
        switch action {
        case .added(let number): count &+= number
        case .renamed(let name): self.name = name
        case .refused: throw Rejection(code: "refused", message: "No.", kind: .conflict)
        }
    }
}

enum TallyAction: Sendable {
    case added(Int)
    case renamed(String)
    case refused
}

/// The least that several threads can share.
final class LockedTally: Sendable {
    private let tally = Mutex(Tally())

    func dispatch(_ action: TallyAction) {
        tally.withLock { (tally) in
            do throws(Rejection) { try tally.apply(action) } catch {}
        }
    }

    static func measure() -> Double {
        let tally = LockedTally()
        return Measurement.best {
            for _ in 0..<Measurement.count { tally.dispatch(.added(1)) }
        }
    }
}

/// The same behind an actor, called from outside of it.
actor ActorTally {
    private var tally = Tally()

    func dispatch(_ action: TallyAction) {
        do throws(Rejection) { try tally.apply(action) } catch {}
    }

    static func measure() async -> Double {
        let tally = ActorTally()
        return await Measurement.best {
            for _ in 0..<Measurement.count { await tally.dispatch(.added(1)) }
        }
    }
}
