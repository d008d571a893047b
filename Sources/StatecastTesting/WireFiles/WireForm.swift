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
    /// A type is given so many examples at most, one for each choice of its cases.
    private static var sampleLimit: Int { 16 }

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
        var given: [String: [WireRecord]] = [:]
        for example in examples {
            let type = try maker.type(of: example)
            let isFact = maker.kinds.first { $0.type == type }?.isFact ?? false
            given[type, default: []].append(try record(of: example, type, isFact: isFact))
        }
        for kind in maker.kinds {
            try addActions(of: kind, given[kind.type] ?? [])
        }
    }

    /// Adds what was kept of a type, once it was read and written again; where nothing was, samples.
    private mutating func addActions(
        of kind: ActionMaker<App.Action>.Kind, _ given: [WireRecord]
    ) throws {
        var found: [WireRecord] = []
        for old in kept(kind.isFact ? .fact : .action, kind.type) {
            do throws(ActionFailure) {
                let action = try maker.coder.decodeLogged(old.json.span).action
                found.append(try record(of: action, kind.type, isFact: kind.isFact))
            } catch {
                faults.append(
                    "This cannot be read any more: \(String(decoding: old.json, as: UTF8.self)) "
                        + "(\(error))")
            }
        }
        found += given
        if found.isEmpty { found = try samples(of: kind) }
        if found.isEmpty {
            faults.append("\(kind.type) has no example, and none can be made up: give one.")
        }
        var seen: Set<WireRecord> = []
        records += found.filter { seen.insert($0).inserted }
    }

    private func record(
        of action: App.Action, _ type: String, isFact: Bool
    ) throws(ActionFailure) -> WireRecord {
        var json: [UInt8] = []
        do throws(EncodingFailure) {
            try maker.coder.encode(action, into: &json)
        } catch {
            throw .badPayload(pointer: error.pointer, detail: error.detail)
        }
        return WireRecord(isFact ? .fact : .action, type, json: json)
    }

    /// Plain actions of a type, one for each choice of cases in its payload.
    private func samples(of kind: ActionMaker<App.Action>.Kind) throws -> [WireRecord] {
        var found: [WireRecord] = []
        for variant in 0..<Self.sampleLimit {
            let source = ValueSource(sample: variant)
            guard let action = try? maker.action(of: kind, from: source) else { break }
            found.append(try record(of: action, kind.type, isFact: kind.isFact))
            guard variant + 1 < source.variantCount else { break }
        }
        if found.isEmpty,
            let action = try? maker.action(of: kind, from: ValueSource(seed: 1, [.anonymous]))
        {
            found.append(try record(of: action, kind.type, isFact: kind.isFact))
        }
        return found
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
