/// The type path of an action whose payload is begun: where a group stands behind labelled values,
/// the path goes on before that payload, which the values inside of the group join.
///
///     .row(id: "7", .renamed(name: "Milk"))
///     {"type":"row","payload":{"id":"7"  →  {"type":"row/renamed","payload":{"id":"7"
struct JoinedPath {
    /// The offset behind the path as far as it is written.
    private(set) var end = 0
    /// A group stands behind labelled values.
    private(set) var isJoined = false
    /// The name of the case whose values join the payload.
    private(set) var caseName = ""

    /// The payload begins, and the path ends at an offset.
    mutating func payloadBegins(behind offset: Int) { end = offset }

    /// The path goes on although the payload is begun.
    mutating func join() { isJoined = true }

    /// Goes on with a segment; answers with the bytes that are to be put in at the former end.
    mutating func goOn(with segment: String) -> [UInt8] {
        var text = JSONWriter()
        text.append(literal: "/")
        text.append(unquoted: segment)
        end += text.count
        caseName = segment
        return text.finish()
    }
}
