import Redux
import StateCoding

extension SessionOptions {
    /// The state that a journal has kept as JSON, in the form of a version of the schema; throws
    /// where it is none of the application's, or `validate` refuses it.
    package func restore(_ json: [UInt8], from version: Int) throws(DecodingFailure) -> State {
        let json = try schema.migrate(json, from: version)
        let state = try StateDecoder().decode(State.self, from: json)
        do throws(Rejection) {
            try validate?(state)
        } catch {
            throw .state("The application refuses the state: \(error.code): \(error.message)")
        }
        return state
    }

    /// The sentence that says what is wrong with the options of an application whose actions this
    /// coder writes; nil where nothing is.
    func fault(_ coder: ActionCoder<Action>) -> String? {
        if let lifetime, lifetime <= .zero {
            return "The lifetime of a session is \(lifetime), and must be longer than nothing."
        }
        if let fault = schema.fault ?? unpredictedFault(coder) { return fault }
        for example in examples {
            if let fault = exampleFault(example, coder) { return fault }
        }
        return nil
    }

    private func unpredictedFault(_ coder: ActionCoder<Action>) -> String? {
        let types = coder.knownTypes
        return unpredicted.first { name in
            !types.contains { $0 == name || $0.hasPrefix("\(name)/") }
        }.map { "No action that clients may send has the type \"\($0)\", which is unpredicted." }
    }

    private func exampleFault(_ example: Action, _ coder: ActionCoder<Action>) -> String? {
        var json: [UInt8] = []
        do throws(EncodingFailure) {
            try coder.encode(example, meta: nil, into: &json)
        } catch {
            return "An example of an action cannot be written: \(error.detail)"
        }
        do throws(ActionFailure) {
            _ = try coder.decodeAction(json.span, in: ActionMemory())
            return nil
        } catch {
            let text = String(decoding: json, as: UTF8.self)
            return "The example \(text) is no action that a client may send: leave it out."
        }
    }
}
