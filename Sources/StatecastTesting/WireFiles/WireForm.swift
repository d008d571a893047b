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
        maker = try ActionMaker()
        try addActions(examples, Array(states.values))
        let states = states.sorted { $0.key < $1.key }
        for (name, state) in states { try add(state, named: name) }
        for (name, state) in states {
            for viewer in viewers { try addViews(of: state, named: name, for: viewer) }
        }
    }

    // MARK: Actions

    /// Adds what was kept of each type, once it was read and written again, what was given, and
    /// samples of the cases that these do not show.
    private mutating func addActions(_ examples: [App.Action], _ states: [App.State]) throws {
        var known: [String: [App.Action]] = [:]
        for record in kept where ["action", "fact"].contains(record.kind) {
            if let action = read(record) { known[record.name, default: []].append(action) }
        }
        known.merge(try maker.byType(examples), uniquingKeysWith: +)
        let shown: [Any] = Array(known.values.joined()) + states
        let values = ValueMaker(cases: ShownCases(in: shown).lists.sorted { $0[0] < $1[0] })
        for type in maker.types {
            let given = known[type] ?? []
            let found = given + maker.samples(of: type, besides: given, from: values)
            if found.isEmpty {
                faults.append("\(type) has no example, and none can be made up: give one.")
            }
            let kind = maker.facts.contains(type) ? "fact" : "action"
            var seen: Set<WireRecord> = []
            records += try found.map { action in
                WireRecord(kind: kind, name: type, json: try maker.json(of: action))
            }.filter { seen.insert($0).inserted }
        }
    }

    /// The action of a record; a fault where there is none any more.
    private mutating func read(_ record: WireRecord) -> App.Action? {
        guard maker.types.contains(record.name) else {
            faults.append(
                "No action has the type \(record.name) any more: a log that has one cannot be "
                    + "read, and clients that send it are refused.")
            return nil
        }
        do throws(ActionFailure) {
            return try maker.coder.decodeLogged(record.json.span).action
        } catch {
            faults.append(
                "This cannot be read any more: \(String(decoding: record.json, as: UTF8.self)) "
                    + "(\(error))")
            return nil
        }
    }

    // MARK: States and views

    private mutating func add(_ state: App.State, named name: String) throws {
        for old in kept where old.kind == "state" && old.name == name {
            do throws(DecodingFailure) {
                _ = try StateDecoder().decode(App.State.self, from: old.json.span)
            } catch {
                faults.append(
                    "The state \"\(name)\" that was kept cannot be read any more: \(error)")
            }
        }
        records.append(
            WireRecord(kind: "state", name: name, json: try StateEncoder().bytes(of: state)))
    }

    private mutating func addViews(
        of state: App.State, named name: String, for principal: Principal
    ) throws {
        let views = application.views
        let who = principal.id ?? "anonymous"
        for view in views.names {
            let json = try views.json(of: view, for: Viewer(principal), in: state)
            records.append(
                WireRecord(
                    kind: "view", name: "\(view ?? "state") of \(name) for \(who)",
                    json: json ?? Array("null".utf8)))
        }
    }
}
