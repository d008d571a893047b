/// The secrets of a state by their places, for a JSON of it in which `"<redacted>"` stands for them.
///
///     {"name":"Ada","password":"<redacted>"}      /password → the password
package final class KeptSecrets {
    /// The beginning of the texts that stand for secrets while they are gathered: nothing else in a
    /// state begins so.
    private let mark = "secret-\(UInt64.random(in: .min ... .max))-"
    private var values: [any Sendable] = []
    private var places: [JSONPointer: Int] = [:]

    /// The text that stands for a secret.
    func placeholder(for secret: any Sendable) -> String {
        values.append(secret)
        return mark + "\(values.count - 1)"
    }

    /// Finds the places of the secrets in the JSON that they were gathered from.
    func locate(in json: [UInt8], maximumDepth: Int) throws(DecodingFailure) {
        guard !values.isEmpty else { return }
        let tape = try JSONTape(parsing: json, maximumDepth: maximumDepth)
        for index in tape.entries.indices where tape.entries[index].kind == .string {
            let text = tape.string(at: index)
            guard text.hasPrefix(mark), let number = Int(text.dropFirst(mark.count)) else {
                continue
            }
            places[tape.pointer(toEntryAt: index)] = number
        }
    }

    /// The secret at a place.
    func find(at place: JSONPointer) -> (any Sendable)? { places[place].map { values[$0] } }
}
