import Redux
import Synchronization

/// The state of all measurements: what a small screen shows.
struct Tally: Sendable, Equatable {
    var count = 0
    var name = "tally"
    var items = [1, 2, 3]

    var isNegative: Bool { count < 0 }

    mutating func apply(_ action: TallyAction) throws(Rejection) {
        switch action {
        case .added(let number): count &+= number
        case .renamed(let name): self.name = name
        case .refused: throw Rejection("refused", "No.", kind: .conflict)
        }
    }
}

enum TallyAction: Sendable {
    case added(Int)
    case renamed(String)
    case refused
}

/// A state and closures that are told of each change of what they select: no versions, no
/// rejections, no order of what is dispatched from inside.
struct BareTally {
    private var tally = Tally()
    private var observers: [(Tally, Tally) -> Void] = []

    mutating func observe(_ count: Int, _ tell: @escaping @Sendable (Int) -> Void) {
        for _ in 0..<count {
            observers.append { old, new in
                if new.count != old.count { tell(new.count) }
            }
        }
    }

    mutating func dispatch(_ action: TallyAction) {
        let old = tally
        do throws(Rejection) { try tally.apply(action) } catch { return }
        guard tally != old else { return }
        for observer in observers { observer(old, tally) }
    }
}

/// The least that several threads can share.
final class LockedTally: Sendable {
    private let tally = Mutex(BareTally())

    static func measure(_ observers: Int) -> Double {
        let locked = LockedTally()
        let told = Atomic(0)
        locked.tally.withLock { $0.observe(observers) { told.store($0, ordering: .relaxed) } }
        return Measurement.best {
            for _ in 0..<Measurement.count { locked.tally.withLock { $0.dispatch(.added(1)) } }
        }
    }
}

/// The same behind an actor, called from outside of it.
actor ActorTally {
    private var tally = BareTally()

    func observe(_ count: Int, _ tell: @escaping @Sendable (Int) -> Void) {
        tally.observe(count, tell)
    }

    func dispatch(_ action: TallyAction) { tally.dispatch(action) }

    static func measure(_ observers: Int) async -> Double {
        let actor = ActorTally()
        let told = Atomic(0)
        await actor.observe(observers) { told.store($0, ordering: .relaxed) }
        return await Measurement.best {
            for _ in 0..<Measurement.count { await actor.dispatch(.added(1)) }
        }
    }
}
