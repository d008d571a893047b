import Bytes
import Sessions
import StateCoding

/// Shows what a recording has led to, through the views of its application. It reduces nothing, and
/// no work begins.
final class ReplayStore<App: Application>: ViewedStore {
    let views: Views<App.State>
    private let tape: ReplayTape
    /// The state of a version, where a view has asked for it.
    private var decoded: (version: UInt64, state: App.State)?

    init(_ views: Views<App.State>, _ tape: ReplayTape) {
        self.views = views
        self.tape = tape
    }

    var version: UInt64 { tape.version }
    var lastChange: UInt64 { tape.lastChange }

    func encodeState(into output: inout [UInt8]) throws(EncodingFailure) {
        output.append(contentsOf: tape.json.bytes)
    }

    func encodeState(after form: EncodedForm?) throws(EncodingFailure) -> EncodedForm {
        EncodedForm(json: tape.json.bytes)
    }

    func readState() throws(EncodingFailure) -> App.State {
        if let decoded, decoded.version == lastChange { return decoded.state }
        let state = try Self.state(of: tape.json.bytes)
        decoded = (lastChange, state)
        return state
    }

    func dropCaches() { decoded = nil }
}
