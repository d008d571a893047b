enum FuzzedGroup: Codable, ActionGroup, Sendable {
    case edited(text: String)
    case cleared
    case inside(FuzzedDeep)

    enum CodingKeys: CodingKey, CaseIterable { case edited, cleared, inside }
}

indirect enum FuzzedDeep: Codable, ActionGroup, Sendable {
    case down(FuzzedDeep)
    case stop(Int?)

    enum CodingKeys: CodingKey, CaseIterable { case down, stop }
}

enum FuzzedAction: Codable, Sendable {
    case incremented(by: Int)
    case reset
    case named(String)
    case moved(Int, Double)
    case list([String?])
    case home(FuzzedGroup)

    enum CodingKeys: CodingKey, CaseIterable { case incremented, reset, named, moved, list, home }
}

enum FuzzedFact: Codable, Sendable {
    case loaded(items: [Int])

    enum CodingKeys: CodingKey, CaseIterable { case loaded }
}

private let coder = try? ActionCoder<FuzzedAction, FuzzedFact>()

/// One action or a batch; an action that is read must be written and read back the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let coder else { preconditionFailure("The types are sound.") }
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    _ = try? coder.decodeFact(bytes.span)
    var envelopes: [ActionEnvelope<FuzzedAction>] = []
    do {
        if ActionCoder<FuzzedAction, FuzzedFact>.isBatch(bytes.span) {
            envelopes = try coder.decodeBatch(bytes.span)
        } else {
            envelopes = [try coder.decode(bytes.span)]
        }
    } catch {
        return 0
    }
    for envelope in envelopes {
        var first: [UInt8] = []
        var second: [UInt8] = []
        do {
            try coder.encode(envelope.action, into: &first)
            let again = try coder.decode(first.span)
            precondition(again.type == envelope.type, "The type is the same.")
            try coder.encode(again.action, into: &second)
        } catch {
            preconditionFailure("What was read must be written and read back: \(error)")
        }
        precondition(first == second, "What was written must be written the same again.")
    }
    return 0
}
