/// Finds the type paths of an enum of actions by decoding it from a decoder that answers every
/// question and notes what it was asked.
enum ActionTypes {
    /// Its type paths, sorted, as far as `CodingKeys` are `CaseIterable`.
    static func explore<Action: Decodable>(
        _ type: Action.Type
    ) throws(ActionCoderError) -> [String] {
        let notes = ProbeNotes()
        explore(type, prefix: "", notes: notes)
        if let fault = notes.fault { throw fault }
        return notes.types.sorted()
    }

    /// Notes the paths of `type` and of the groups in it. A group inside itself has paths without
    /// end: they are not followed.
    static func explore<Action: Decodable>(_ type: Action.Type, prefix: String, notes: ProbeNotes) {
        let id = ObjectIdentifier(type)
        guard !notes.open.contains(id), notes.open.count < 32, notes.types.count < 10_000 else {
            return
        }
        notes.open.append(id)
        defer { notes.open.removeLast() }
        notes.cases = []
        _ = try? Action(from: ProbeDecoder(notes: notes, question: .cases))
        if notes.isRaw {
            notes.isRaw = false
            notes.types += rawValues(of: type).map { prefix + $0 }
            return
        }
        for name in notes.cases {
            exploreCase(name, of: type, prefix: prefix, notes: notes)
            if notes.fault != nil { return }
        }
    }

    private static func exploreCase<Action: Decodable>(
        _ name: String, of type: Action.Type, prefix: String, notes: ProbeNotes
    ) {
        let path = prefix + name
        notes.path = path
        notes.labels = []
        notes.group = nil
        _ = try? Action(from: ProbeDecoder(notes: notes, question: .values(ofCase: name)))
        let labels = notes.labels
        let unlabelled = labels.filter(\.isUnlabelled).count
        if unlabelled > 0, unlabelled < labels.count {
            notes.fault = .mixedLabels(type: path)
        } else if let group = notes.group {
            guard labels == ["_0"], !notes.hasSecond else {
                return notes.fault = .groupBesideOthers(type: path)
            }
            group(path + "/")
        } else {
            notes.types.append(path)
        }
    }

    private static func rawValues<Action>(of type: Action.Type) -> [String] {
        guard let iterable = type as? any CaseIterable.Type else { return [] }
        return names(of: iterable)
    }

    private static func names<Cases: CaseIterable>(of type: Cases.Type) -> [String] {
        type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    }
}
