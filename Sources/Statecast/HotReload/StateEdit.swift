import Bytes
import Journaling
import Redux
import Sessions
import StateCoding

/// The state of a session as a person has written it into the session's file:
///
///     {
///       "token": "k3f9x2-42",
///       "state": {
///         "count": 3
///       }
///     }
enum StateEdit {
    /// States nest one level less.
    private static let maximumDepth = StateDecoder().maximumDepth + 1

    /// The state, and the token of the one that was edited.
    static func read(
        _ text: [UInt8]
    ) throws(DecodingFailure) -> (state: [UInt8], token: Token) {
        let document = try JSONValue(parsing: text.span, maximumDepth: maximumDepth)
        guard let token = document["token"]?.string.flatMap({ Token($0) }) else {
            throw .edit("The token of the state that was edited belongs here.", at: ["token"])
        }
        guard let state = document["state"] else {
            throw .edit("The state is missing.", at: ["state"])
        }
        return (state.json, token)
    }

    /// The text of a session's file, a member a line; on one line where it would be larger than a limit.
    static func text(of json: [UInt8], _ token: Token, limit: Int) -> [UInt8] {
        let plain = JSONWriter.object { writer in
            writer.member("token", "\(token)")
            writer.member("state", json: json.span)
        }
        do throws(DecodingFailure) {
            var text: [UInt8] = []
            let value = try JSONValue(parsing: plain.span, maximumDepth: maximumDepth)
            let isWhole = value.write(to: &text, limit: limit - 1) { text, json, _ in text += json }
            return isWhole ? text + "\n".utf8 : plain
        } catch {
            return plain
        }
    }
}

extension DecodingFailure {
    /// The reason why what stands in a session's file is not its state.
    ///
    /// - Parameter path: the place in the document; none: that is nowhere in it.
    static func edit(_ detail: String, at path: [String] = []) -> DecodingFailure {
        DecodingFailure(
            reason: .shape, pointer: JSONPointer(tokens: path), offset: 0, detail: detail)
    }

    /// The reasons of a session that has not taken a state.
    static func edits(_ refusal: Refusal) -> [DecodingFailure] {
        switch refusal {
        case .unreadable(let failure):
            [edit(failure.detail, at: ["state"] + failure.pointer.tokens)]
        case .rejected(let rejection, _):
            rejection.faults.map { fault in
                let field = fault.field.flatMap { JSONPointer(parsing: "/\($0)") }
                return edit(fault.message, at: ["state"] + (field?.tokens ?? []))
            }
        default: [edit(SessionError(refusal).description)]
        }
    }

    /// `demo.json:4:12: /state/count: An integer is expected here.`, as compilers say it, for editors.
    func line(about file: String, _ text: [UInt8]) -> String {
        var line = "\(file):"
        let isNowhere = pointer.tokens.isEmpty
        let place = isNowhere ? nil : Self.offset(of: pointer, in: text)
        if let offset = reason == .shape ? place : offset {
            let before = text.prefix(offset)
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let number = before.count { $0 == UInt8(ascii: "\n") } + 1
            line += "\(number):\(before.count - start + 1):"
        }
        // What cannot be read is told by what was read last.
        if !isNowhere { line += reason == .shape ? " \(pointer):" : " near \(pointer):" }
        return "\(line) \(detail)"
    }

    /// The place of a value, or of what it is missing in.
    private static func offset(of pointer: JSONPointer, in text: [UInt8]) -> Int? {
        if let range = pointer.range(in: text.span) { return range.lowerBound }
        guard !pointer.tokens.isEmpty else { return nil }
        return offset(of: JSONPointer(tokens: pointer.tokens.dropLast()), in: text)
    }
}
