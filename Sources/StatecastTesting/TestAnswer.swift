import ClientWire
import HTTPMessages
package import StateCoding

/// A whole answer, as a client sees it.
public struct TestAnswer: Sendable {
    /// The status code.
    public var status: Int
    /// The fields by their names in lower case.
    public var fields: [String: String]
    /// The content as text.
    public var body: String

    /// An answer that could not be read has the status 0, and says why.
    init(inAll bytes: [UInt8], isToHead: Bool) {
        do throws(ResponseError) {
            let answer = try ClientAnswer(inAll: bytes, isToHead: isToHead)
            (status, fields) = (answer.status, answer.fields)
            body = String(decoding: answer.body, as: UTF8.self)
        } catch {
            (status, fields, body) = (0, [:], "\(error)")
        }
    }

    /// The entity tag without quotation marks, weak or strong.
    public var etag: String? {
        fields["etag"].map { $0.filter { $0 != "\"" }.replacing("W/", with: "") }
    }

    /// True where the status is 200 to 299.
    public var isSuccess: Bool { (200...299).contains(status) }

    /// The stable code of the problem in the content (RFC 9457): the reducer's code where it has
    /// rejected an action.
    public var problem: String? {
        guard let type = (try? json())?["type"]?.string else { return nil }
        return type.split(separator: "/").last.map(String.init)
    }

    /// Decodes the content; throws `undecodable` where it is no such value.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self
    ) throws(TestFailure) -> Value {
        try TestAnswer.decode(Array(body.utf8))
    }

    static func decode<Value: Decodable>(
        _ json: [UInt8], as type: Value.Type = Value.self
    ) throws(TestFailure) -> Value {
        do throws(DecodingFailure) {
            return try StateDecoder().decode(Value.self, from: json.span)
        } catch {
            throw .undecodable(String(decoding: json, as: UTF8.self), reason: "\(error)")
        }
    }

    /// Parses the content; throws where it is no JSON.
    package func json() throws(DecodingFailure) -> JSONValue {
        let bytes = Array(body.utf8)
        return try JSONValue(parsing: bytes.span)
    }
}
