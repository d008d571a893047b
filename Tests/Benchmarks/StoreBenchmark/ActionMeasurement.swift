import Redux
import StateCoding

/// An action out of its JSON, and back, as a POST and its log need it.
struct ActionMeasurement {
    enum Action: ActionGroup {
        case searchEdited(String)
        case list(ListAction)
    }

    enum ListAction: ActionGroup {
        case added(id: Int, name: String)
        case cleared
    }

    private let coder: ActionCoder<Action>
    private let memory = ActionMemory()
    private let json = Array(#"{"type":"list/added","payload":{"id":17,"name":"milk"}}"#.utf8)
    private let action = Action.list(.added(id: 17, name: "milk"))

    init() throws {
        coder = try ActionCoder()
        let decoded = try coder.decodeAction(json.span, in: memory)
        precondition(decoded == action, "The JSON is the action's.")
    }

    func decoding() -> Double {
        measure { try coder.decodeAction(json.span, in: memory) == action }
    }

    func encoding() -> Double {
        var output: [UInt8] = []
        return measure {
            output.removeAll(keepingCapacity: true)
            try coder.encode(action, into: &output)
            return output.count == json.count
        }
    }

    private func measure(_ body: () throws -> Bool) -> Double {
        Measurement.best {
            for _ in 0..<Measurement.count {
                precondition((try? body()) == true, "An action is coded as before.")
            }
        }
    }
}
