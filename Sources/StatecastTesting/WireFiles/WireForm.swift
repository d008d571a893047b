import Redux
import StateCoding
import Statecast

/// The wire form that an application has now, beside the one that a file has kept.
struct WireForm<App: Application> {
    /// The records as they are now.
    private(set) var records: [WireRecord] = []
    /// The sentences about what was kept and cannot be read any more, and about what has no example.
    private(set) var faults: [String] = []

    private let application: App
    private let maker: ActionMaker<App.Action>
    private let kept: [WireRecord]

    init(
        of application: App, examples: [App.Action], states: [String: App.State],
        viewers: [Principal], kept: [WireRecord]
    ) throws {
        self.application = application
        self.kept = kept
        maker = try ActionMaker(examples: [])
        try addActions(examples)
        for (name, state) in states.sorted(by: { $0.key < $1.key }) { try add(state, named: name) }
        for (name, state) in states.sorted(by: { $0.key < $1.key }) {
            for viewer in viewers { try addViews(of: state, named: name, for: viewer) }
        }
    }

    private func kept(_ kind: WireRecord.Kind, _ name: String) -> [WireRecord] {
        kept.filter { $0.kind == kind && $0.name == name }
    }

    // MARK: Actions

    private mutating func addActions(_ examples: [App.Action]) throws {
        let types = Set(maker.kinds.map(\.type))
        for record in kept where [.action, .fact].contains(record.kind) {
            if !types.contains(record.name) {
                faults.append(
                    "No action has the type \(record.name) any more: a log that has one cannot be "
                        + "read, and clients that send it are refused.")
            }
        }
        var given: [String: [App.Action]] = [:]
        for example in examples { given[try maker.type(of: example), default: []].append(example) }
        for kind in maker.kinds {
            try addActions(of: kind, given[kind.type] ?? [])
        }
    }

    /// Adds what was kept of a type, once it was read and written again, what was given, and samples
    /// of the cases that these do not show.
    private mutating func addActions(
        of kind: ActionMaker<App.Action>.Kind, _ given: [App.Action]
    ) throws {
        var found: [WireRecord] = []
        var shown: Set<String> = []
        for old in kept(kind.isFact ? .fact : .action, kind.type) {
            do throws(ActionFailure) {
                let action = try maker.coder.decodeLogged(old.json.span).action
                found.append(try record(of: action, kind))
                shown.formUnion(ShownCases(in: action).names)
            } catch {
                faults.append(
                    "This cannot be read any more: \(String(decoding: old.json, as: UTF8.self)) "
                        + "(\(error))")
            }
        }
        for action in given {
            found.append(try record(of: action, kind))
            shown.formUnion(ShownCases(in: action).names)
        }
        found += try samples(of: kind, showing: found.isEmpty ? nil : shown)
        if found.isEmpty {
            faults.append("\(kind.type) has no example, and none can be made up: give one.")
        }
        var seen: Set<WireRecord> = []
        records += found.filter { seen.insert($0).inserted }
    }

    private func record(
        of action: App.Action, _ kind: ActionMaker<App.Action>.Kind
    ) throws(ActionFailure) -> WireRecord {
        var json: [UInt8] = []
        do throws(EncodingFailure) {
            try maker.coder.encode(action, into: &json)
        } catch {
            throw .badPayload(pointer: error.pointer, detail: error.detail)
        }
        return WireRecord(kind.isFact ? .fact : .action, kind.type, json: json)
    }

    /// Plain actions of a type that show a case of an enum that stands in no other one.
    ///
    /// - Parameter shown: the cases that are shown already; nil where there is no action yet.
    private func samples(
        of kind: ActionMaker<App.Action>.Kind, showing shown: Set<String>?
    ) throws -> [WireRecord] {
        var samples = WireSamples(of: kind, by: maker).actions
        if var shown {
            samples.removeAll { sample in
                let cases = ShownCases(in: sample).names
                defer { shown.formUnion(cases) }
                return cases.isSubset(of: shown)
            }
        } else if samples.isEmpty,
            let action = try? maker.action(of: kind, from: ValueSource(seed: 1, [.anonymous]))
        {
            samples = [action]
        }
        return try samples.map { try record(of: $0, kind) }
    }

    // MARK: States and views

    private mutating func add(_ state: App.State, named name: String) throws {
        for old in kept(.state, name) {
            do throws(DecodingFailure) {
                _ = try StateDecoder().decode(App.State.self, from: old.json.span)
            } catch {
                faults.append(
                    "The state \"\(name)\" that was kept cannot be read any more: \(error)")
            }
        }
        var json: [UInt8] = []
        try StateEncoder().encode(state, into: &json)
        records.append(WireRecord(.state, name, json: json))
    }

    private mutating func addViews(
        of state: App.State, named name: String, for principal: Principal
    ) throws {
        let views = application.views
        let who = principal.isAnonymous ? "anonymous" : principal.id
        for view in views.names {
            let json = try views.json(of: view, for: Viewer(principal), in: state)
            records.append(
                WireRecord(
                    .view, "\(view ?? "state") of \(name) for \(who)",
                    json: json ?? Array("null".utf8)))
        }
    }
}
