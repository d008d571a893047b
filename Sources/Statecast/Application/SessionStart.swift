import Redux
import Sessions
import Sockets
package import StateCoding

/// The wish for a new session: on whose account it is made, by whom, and with what input.
struct SessionStart: Sendable {
    /// The client that the session counts to; 0: the server has it made.
    var maker: Accounts.Client = 0
    /// The one who has it made, for `Step`; nil: the server itself.
    var by: Principal?
    /// A value of the application's type of inputs.
    var value: (any Sendable)?
    /// The body of the request that has it made.
    var json: [UInt8] = []

    /// The input as the application's own type; nil where there is none.
    func input<Input: Decodable>(as _: Input.Type) throws(Refusal) -> Input? {
        if let value {
            guard let input = value as? Input else {
                preconditionFailure("An input is of the type that its application declares.")
            }
            return input
        }
        if json.isEmpty { return nil }
        guard Input.self != Never.self else { throw .noInput }
        do throws(DecodingFailure) {
            return try StateDecoder().decode(Input.self, from: json)
        } catch {
            throw .unreadable(error)
        }
    }
}

extension StateEncoder {
    /// A value as JSON.
    package func bytes(of value: some Encodable) throws(EncodingFailure) -> [UInt8] {
        var output: [UInt8] = []
        try encode(value, into: &output)
        return output
    }
}
