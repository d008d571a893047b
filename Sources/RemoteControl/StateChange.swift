import StateCoding

/// One place at which two states differ.
struct StateChange: Equatable {
    enum Kind: String { case add, remove, replace }

    let kind: Kind
    /// In what the changes before have made of the state.
    let place: JSONPointer
    /// What was there, and what is: JSON.
    let old: [UInt8]?
    let new: [UInt8]?

    private init(_ kind: Kind, _ place: JSONPointer, _ old: JSONValue?, _ new: JSONValue?) {
        (self.kind, self.place, self.old, self.new) = (kind, place, old?.json, new?.json)
    }

    /// The changes that lead from one value to another: those of an object by its members, of an array between
    /// what it begins and ends with in both.
    static func all(
        from old: JSONValue, to new: JSONValue, at place: JSONPointer = JSONPointer()
    ) -> [StateChange] {
        guard old.json != new.json else { return [] }
        if let before = old.members, let after = new.members {
            let (was, now) = (byName(before), byName(after))
            let gone = before.filter { now[$0.name] == nil }.map { name, value in
                StateChange(.remove, place.appending(name), value, nil)
            }
            return gone
                + after.flatMap { name, value in
                    let place = place.appending(name)
                    return was[name].map { all(from: $0, to: value, at: place) }
                        ?? [StateChange(.add, place, nil, value)]
                }
        }
        if let before = old.elements, let after = new.elements {
            return between(before, after, at: place)
        }
        return [StateChange(.replace, place, old, new)]
    }

    private static func byName(_ members: [(name: String, value: JSONValue)]) -> [String: JSONValue]
    {
        Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    }

    private static func between(
        _ before: [JSONValue], _ after: [JSONValue], at place: JSONPointer
    ) -> [StateChange] {
        let isEqual = { (a: JSONValue, b: JSONValue) in a.json == b.json }
        let first = zip(before, after).prefix(while: isEqual).count
        let (old, new) = (before.dropFirst(first), after.dropFirst(first))
        let last = zip(old.reversed(), new.reversed()).prefix(while: isEqual).count
        let (gone, come) = (old.dropLast(last), new.dropLast(last))
        let both = min(gone.count, come.count)
        let changed = zip(gone, come).enumerated().flatMap { index, pair in
            all(from: pair.0, to: pair.1, at: place.appending("\(first + index)"))
        }
        let removed = gone.dropFirst(both).enumerated().map { index, value in
            StateChange(.remove, place.appending("\(first + both + index)"), value, nil)
        }
        let added = come.dropFirst(both).enumerated().map { index, value in
            StateChange(.add, place.appending("\(first + both + index)"), nil, value)
        }
        // Where the places are those of the whole list at that moment, the changes are a patch.
        return changed + removed.reversed() + added
    }

    /// `~ /count  1 → 2`.
    func line(on terminal: Terminal) -> String {
        let (mark, color): (String, Terminal.Color) =
            switch kind {
            case .add: ("+", .green)
            case .remove: ("-", .red)
            case .replace: ("~", .yellow)
            }
        let values = [old, new].compactMap { $0.map { terminal.short($0) } }
        let name = place.tokens.isEmpty ? "the whole" : "\(place)"
        return "  \(terminal.paint("\(mark) \(name)", color))  \(values.joined(separator: " → "))"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("op", kind.rawValue)
            writer.member("path", "\(place)")
            if let old { writer.member("old", json: old.span) }
            if let new { writer.member("value", json: new.span) }
        }
    }
}
