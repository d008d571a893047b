import Bytes
import Redux
import Sessions
import StateCoding

/// The wish for a new session: on whose account it is made, by whom, and with what input.
struct SessionStart: Sendable {
    /// The input as it has come.
    enum Input: Sendable {
        case none
        /// The body of a request.
        case json([UInt8])
        /// A value of the application's type of inputs.
        case value(any Sendable)

        /// The input as the application's own type; nil where there is none.
        func read<Value: Decodable>(as _: Value.Type) throws(Refusal) -> Value? {
            switch self {
            case .none: return nil
            case .value(let value):
                guard let input = value as? Value else {
                    preconditionFailure("An input is of the type that its application declares.")
                }
                return input
            case .json(let bytes):
                guard Value.self != Never.self else { throw .noInput }
                do throws(DecodingFailure) {
                    return try StateDecoder().decode(Value.self, from: bytes)
                } catch {
                    throw .unreadable(error)
                }
            }
        }
    }

    /// The client that the session counts to; nil: the server has it made.
    var maker: SessionMaker?
    /// The one who has it made, for `Step`; nil: the server itself.
    var by: Principal?
    var input = Input.none

    /// The input in the body of a request; an empty body is none.
    static func input(in body: Span<UInt8>) -> Input {
        body.isEmpty ? .none : .json([UInt8](copying: body))
    }
}

extension StateEncoder {
    /// A value as JSON.
    func bytes(of value: some Encodable) throws(EncodingFailure) -> [UInt8] {
        var output: [UInt8] = []
        try encode(value, into: &output)
        return output
    }
}
