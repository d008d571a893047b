import Redux
import Testing

@testable import StateCoding

private enum ListedRow: ActionGroup {
    case renamed(name: String)
    case counted(Int)
    case both(Int, Int)
    case removed
}

private enum ListedFact: FactGroup {
    case saved(at: String)
}

private enum ListedAction: ActionGroup {
    case reset
    case row(id: String, ListedRow)
    case other(note: String?, ListedRow)
    case told(Answer<String>)
    case rows([String])
    case fact(ListedFact)
}

/// Carries itself, so that it has types without end.
private indirect enum LoopedAction: ActionGroup {
    case stop
    case inner(LoopedAction)
    case last(value: Int)
}

/// A value that must not be encoded for a number.
private struct Unwritten: StateValue {
    func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self, EncodingError.Context(codingPath: [], debugDescription: "It was encoded."))
    }
}

private enum WrappedAction: ActionGroup {
    case wrapped(value: Unwritten)
}

@Suite struct `The number of a type` {
    @Test func `is found without what the action carries`() throws {
        let coder = try ActionCoder<WrappedAction>()
        let action = WrappedAction.wrapped(value: Unwritten())
        #expect(coder.typeNumber(of: action).map { coder.typeNames[$0] } == "wrapped")
    }

    private static let actions: [(ListedAction, String)] = [
        (.reset, "reset"), (.row(id: "7", .renamed(name: "x")), "row/renamed"),
        (.row(id: "7", .counted(1)), "row/counted"), (.row(id: "7", .both(1, 2)), "row/both"),
        (.row(id: "7", .removed), "row/removed"),
        (.other(note: nil, .renamed(name: "x")), "other/renamed"),
        (.other(note: "n", .removed), "other/removed"), (.told(.value("x")), "told"),
        (.rows(["a", "b"]), "rows"), (.fact(.saved(at: "now")), "fact/saved"),
    ]

    @Test(arguments: actions)
    private func `is found of a value, whatever it carries`(
        action: ListedAction, type: String
    ) throws {
        let coder = try ActionCoder<ListedAction>()
        let number = try #require(coder.typeNumber(of: action))
        #expect(coder.typeNames[number] == type)
    }

    @Test func `is one for each type, fact or not`() throws {
        let coder = try ActionCoder<ListedAction>()
        #expect(Set(coder.typeNames).count == coder.typeNames.count)
        #expect(coder.typeNames.sorted() == (coder.knownTypes + coder.factTypes).sorted())
        #expect(Set(Self.actions.map(\.1)).isSubset(of: coder.typeNames))
    }

    @Test(arguments: actions)
    private func `is remembered of what was posted`(action: ListedAction, type: String) throws {
        let coder = try ActionCoder<ListedAction>()
        guard coder.knownTypes.contains(type) else { return }
        var json: [UInt8] = []
        try coder.encode(action, into: &json)
        let memory = ActionMemory()
        #expect(try coder.decodeAction(json.span, in: memory) == action)
        #expect(coder.typeNames[memory.typeNumber] == type)
    }

    @Test func `is remembered of each action of a batch`() throws {
        let coder = try ActionCoder<ListedAction>()
        let memory = ActionMemory()
        let json = #"""
            [{"type":"row/both","payload":{"id":"1","both":[1,2]}},{"type":"reset"},
            {"type":"rows","payload":[]},{"type":"other/removed","payload":{}}]
            """#
        _ = try coder.decodeBatch(Array(json.utf8).span, in: memory)
        #expect(
            memory.batchTypeNumbers.map { coder.typeNames[$0] }
                == ["row/both", "reset", "rows", "other/removed"])
        _ = try coder.decodeBatch(Array("[]".utf8).span, in: memory)
        #expect(memory.batchTypeNumbers.isEmpty)
    }

    @Test func `is none behind a group inside itself`() throws {
        let coder = try ActionCoder<LoopedAction>()
        #expect(coder.typeNames.sorted() == ["last", "stop"])
        let stop = coder.typeNames.firstIndex(of: "stop")
        #expect(coder.typeNumber(of: .stop) == stop)
        #expect(coder.typeNumber(of: .last(value: 1)) == coder.typeNames.firstIndex(of: "last"))
        #expect(coder.typeNumber(of: .inner(.stop)) == nil)
        #expect(coder.typeNumber(of: .inner(.inner(.last(value: 1)))) == nil)
        let memory = ActionMemory()
        let nested = Array(#"{"type":"inner/inner/stop"}"#.utf8)
        #expect(try coder.decodeAction(nested.span, in: memory) == .inner(.inner(.stop)))
        #expect(memory.typeNumber == -1)
        _ = try coder.decodeAction(Array(#"{"type":"stop"}"#.utf8).span, in: memory)
        #expect(memory.typeNumber == stop)
    }

    @Test func `goes by the keys of the type, or its raw values`() throws {
        let coder = try ActionCoder<RenamedAction>()
        let actions: [(RenamedAction, String)] = [
            (.edited(text: "x"), "changed"), (.cleared, "cleared"), (.list(.said(1)), "list/said"),
        ]
        for (action, name) in actions {
            let number = try #require(coder.typeNumber(of: action))
            #expect(coder.typeNames[number] == name)
        }
        let buttons = try ActionCoder<ButtonAction>()
        for button in ButtonAction.allCases {
            let number = try #require(buttons.typeNumber(of: button))
            #expect(buttons.typeNames[number] == button.rawValue)
            let memory = ActionMemory()
            let json = Array(#"{"type":"\#(button.rawValue)"}"#.utf8)
            #expect(try buttons.decodeAction(json.span, in: memory) == button)
            #expect(memory.typeNumber == number)
        }
    }
}
