import Redux
@testable import StateCoding

enum FuzzedGroup: ActionGroup {
    case edited(text: String)
    case cleared
    case inside(FuzzedDeep)
    case saved(Answer<Bool>)
}

indirect enum FuzzedDeep: ActionGroup {
    case down(FuzzedDeep)
    case stop(Int?)
    case told(Problem)
}

enum FuzzedRow: ActionGroup {
    case renamed(name: String)
    case removed
    case rated(Int?)
    case moved(Int, Double)
    case group(FuzzedGroup)
    case saved(answer: Answer<Done>?)
}

enum FuzzedFact: FactGroup {
    case ranOut(player: String)
    case stopped
}

struct FuzzedBox: StateValue {
    var note: String?
    var answers: [Answer<Int>]?
}

enum FuzzedAction: ActionGroup {
    case incremented(by: Int)
    case reset
    case named(String)
    case moved(Int, Double)
    case list([String?])
    case home(FuzzedGroup)
    case row(id: String?, FuzzedRow)
    case loaded(items: Loadable<[Int]>)
    case told([String: Answer<Int>])
    case boxed(FuzzedBox)
    case clock(FuzzedFact)

    /// The action is one that only the server says.
    var isFact: Bool {
        switch self {
        case .loaded, .told, .boxed, .clock, .home(.saved), .row(_, .saved): true
        case .row(_, .group(.saved)): true
        case .home(.inside(let deep)), .row(_, .group(.inside(let deep))): deep.isFact
        default: false
        }
    }
}

extension FuzzedDeep {
    fileprivate var isFact: Bool {
        switch self {
        case .down(let deep): deep.isFact
        case .stop: false
        case .told: true
        }
    }
}

private let coder = try? ActionCoder<FuzzedAction>()

/// One action or a batch; no fact is ever read of what a client posts, and an action that is read
/// must be written and read back the same. A journal's action may be a fact.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let coder else { preconditionFailure("The types are sound.") }
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let logged = try? coder.decodeLogged(bytes.span) {
        check(logged, with: coder, isLogged: true)
    }
    do {
        var envelopes: [ActionEnvelope<FuzzedAction>] = []
        if ActionCoder<FuzzedAction>.isBatch(bytes.span) {
            envelopes = try coder.decodeBatch(bytes.span)
        } else {
            envelopes = [try coder.decode(bytes.span)]
            let alone = try coder.decodeAction(bytes.span, in: ActionMemory())
            precondition(alone.isFact == false, "A client says no fact.")
        }
        for envelope in envelopes { check(envelope, with: coder, isLogged: false) }
    } catch {
        return 0
    }
    return 0
}

private func check(
    _ envelope: ActionEnvelope<FuzzedAction>, with coder: ActionCoder<FuzzedAction>, isLogged: Bool
) {
    precondition(isLogged || !envelope.action.isFact, "A client says no fact.")
    let types = envelope.action.isFact ? coder.factTypes : coder.knownTypes
    let isEndless = envelope.type.contains("down/")
    precondition(isEndless || types.contains(envelope.type), "The type is listed where it belongs.")
    var first: [UInt8] = []
    var second: [UInt8] = []
    do {
        try coder.encode(envelope.action, into: &first)
        let again = try coder.decodeLogged(first.span)
        precondition(again.type == envelope.type, "The type is the same.")
        try coder.encode(again.action, into: &second)
        let isRefused = (try? coder.decode(first.span)) == nil
        precondition(isRefused == envelope.action.isFact, "What is posted is no fact.")
    } catch {
        preconditionFailure("What was read must be written and read back: \(error)")
    }
    precondition(first == second, "What was written must be written the same again.")
}
