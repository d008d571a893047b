import Redux
import StateCoding
import Statecast
import Testing

/// A form of 40 fields, which few sessions have open.
private struct TaxForm: StateValue {
    struct Part: StateValue { var name = "", street = "", town = "", country = "", note = "" }

    var you = Part(), partner = Part(), first = Part(), second = Part()
    var third = Part(), fourth = Part(), fifth = Part(), sixth = Part()
}

private enum Screen: StateValue {
    case list
    indirect case taxes(TaxForm)
}

private struct Household: StateValue {
    var screen = Screen.list
    var notes: [String] = []
}

/// Shares its value until another one is written into it.
private struct Boxed<Value: StateValue>: StateValue {
    private final class Storage: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    init(_ value: Value) { storage = Storage(value) }

    var value: Value {
        get { storage.value }
        set { storage = Storage(newValue) }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.value == right.value
    }

    init(from decoder: any Decoder) throws { self.init(try Value(from: decoder)) }
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

@Suite struct `The size of a state` {
    @Test func `is that of its own parts, not of what these refer to`() {
        #expect(MemoryLayout<TaxForm>.size == 640)
        #expect(MemoryLayout<[TaxForm]>.size == 8)
        #expect(MemoryLayout<Screen>.size == 8)
        #expect(MemoryLayout<Household>.size == 16)
        #expect(MemoryLayout<Boxed<TaxForm>>.size == 8)
    }

    @Test func `is another one boxed, and the JSON is the same`() throws {
        var form = TaxForm()
        form.you.name = "Ada"
        let plain = try StateEncoder().bytes(of: form)
        #expect(try StateEncoder().bytes(of: Boxed(form)) == plain)
        let read = try StateDecoder().decode(Boxed<TaxForm>.self, from: plain)
        #expect(read.value == form && read == Boxed(form))
        var state = Household(screen: .taxes(form))
        let json = try StateEncoder().bytes(of: state)
        state = try StateDecoder().decode(Household.self, from: json)
        #expect(state.screen == .taxes(form))
    }
}
