import Journaling
import StateCoding

@testable import Redux
@testable import Sessions

/// A store of one number, `{"n":3}`: a body is the number to add.
///
/// `no` is rejected, `drop` is dropped, `?` holds no action; a body with commas is a batch.
final class NumberStore: TakesActions {
    var time: Timestamp? { nil }
    let incarnation: UInt64 = 1
    private(set) var version: UInt64
    private(set) var lastChange: UInt64
    /// The states from the committed one on.
    private var states: [Int]
    /// Actions that effects have reported.
    var reported: [Int] = []
    private(set) var isCancelled = false
    /// The versions whose effects are under way.
    var running: Set<UInt64> = []
    var isUnwritable = false
    /// The number of times that the state was encoded as a whole, and as a form.
    private(set) var encodingCount = 0
    private(set) var formCount = 0

    func startWork() { hasStartedWork = true }
    func watch(by count: Int) { watcherCount = count }

    init(_ state: Int = 0, at version: UInt64 = 0) {
        states = [state]
        self.version = version
        lastChange = version
    }

    var headVersion: UInt64 { version + UInt64(states.count - 1) }
    var isIdle: Bool { states.count == 1 && running.isEmpty }
    var runningEffects: [RunningEffect] { [] }
    var runningWork: [RunningWork] { [] }
    /// Told by the session: its work has begun, and so many clients watch it.
    private(set) var hasStartedWork = false
    private(set) var watcherCount = 0
    var knownTypes: [String] { ["add"] }
    var schemaVersion: Int { 1 }

    func submit(
        _ body: Span<UInt8>, by principal: Principal, at time: Timestamp, _ limit: BatchLimit,
        in memory: ActionMemory, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision {
        var bytes: [UInt8] = []
        for index in body.indices { bytes.append(body[index]) }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ",")
        guard let first = parts.first, first != "?" else {
            throw .malformed(.syntax(offset: 0, detail: "A number is expected."))
        }
        let no = Rejection("no", "No.")
        if let index = parts.firstIndex(of: "no") {
            throw .rejected(no, index: parts.count > 1 ? index : nil)
        }
        if first == "drop" { return try Decision(.dropped, at: headVersion) }
        let outcomes = parts.map { add(Int($0) ?? 0) }
        let batch = StagedBatch(
            version: headVersion, count: parts.count, isCaused: false,
            outcomes: parts.count > 1 ? outcomes : [])
        guard keep(batch, append) else { throw .unknown }
        return parts.count > 1
            ? try Decision(.accepted(outcomes), at: headVersion)
            : try Decision(outcomes[0], at: headVersion)
    }

    private func add(_ number: Int) -> Outcome {
        states.append((states.last ?? 0) + number)
        return .accepted(first: headVersion, last: headVersion, changed: number != 0)
    }

    private func keep(_ batch: StagedBatch, _ append: StagedBatch.Append) -> Bool {
        let state = states.last ?? 0
        let keeping = append(batch) { (former, _) throws(EncodingFailure) in
            let first = batch.version - UInt64(batch.count) + 1
            let entries = (first...batch.version).map { version -> (Entry, [UInt8]?) in
                let entry = Entry(
                    version: version, origin: .client, changed: true, by: .anonymous,
                    at: Timestamp(milliseconds: 1_000))
                return (entry, Array("{}".utf8))
            }
            let isSame = self.states[self.states.count - 1 - batch.count] == state
            let change = isSame ? nil : try self.change(to: state, after: former)
            return EncodedBatch(entries, change, nil)
        }
        switch keeping {
        case .kept: commit(through: batch.version)
        case .later: break
        case .refused: states.removeLast(batch.count)
        }
        return keeping != .refused
    }

    func replaceState(
        by body: Span<UInt8>, of principal: Principal, at time: Timestamp,
        _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision { try Decision(.dropped, at: headVersion) }

    var wantsSessionFacts: Bool { false }
    func submit(
        _ fact: SessionFact, at time: Timestamp, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision { try Decision(.dropped, at: headVersion) }

    func submitCausedActions(_ append: StagedBatch.Append) {
        while !reported.isEmpty {
            _ = add(reported.removeFirst())
            let batch = StagedBatch(version: headVersion, count: 1, isCaused: true, outcomes: [])
            guard keep(batch, append) else { return }
        }
    }

    func commit(through version: UInt64) {
        while self.version < version, states.count > 1 {
            self.version += 1
            if states.removeFirst() != states[0] { lastChange = self.version }
        }
    }

    /// Adds a number, and commits that at once.
    func commitUnseen(_ number: Int) {
        states.append((states.last ?? 0) + number)
        commit(through: headVersion)
    }

    func revert(to version: UInt64) {
        states.removeLast(max(0, Int(headVersion) - Int(version)))
    }

    func observe(_ onChange: @escaping () -> Void) -> Subscription { Subscription {} }
    func cancelEffects() { isCancelled = true }
    func isSettled(_ root: UInt64) -> Bool { !running.contains(root) }
    func dropCaches() {}

    private struct Number: Encodable {
        var n: Int
        var k = 1
    }

    private func json(_ state: Int) throws(EncodingFailure) -> [UInt8] {
        guard !isUnwritable else {
            throw EncodingFailure(reason: .refused, pointer: JSONPointer(), detail: "No.")
        }
        return Array("{\"n\":\(state),\"k\":1}".utf8)
    }

    func encodeState(
        after form: EncodedForm?, keepingSecrets keepsSecrets: Bool
    ) throws(EncodingFailure) -> EncodedForm {
        formCount += 1
        _ = try json(states[0])
        return try StateEncoder().form(
            of: Number(n: states[0]), after: form, keepingSecrets: keepsSecrets)
    }

    private func change(
        to state: Int, after form: EncodedForm?
    ) throws(EncodingFailure) -> EncodedChange {
        formCount += 1
        _ = try json(state)
        return try StateEncoder().encode(Number(n: state), after: form)
    }

    func encodePast(
        _ json: [UInt8], view: String?, for viewer: Viewer
    ) throws(EncodingFailure) -> (json: [UInt8]?, viewerClass: ViewerClass?) {
        (json: Array("\"\(viewer.id ?? "")\"".utf8), viewerClass: ViewerClass(viewer.id ?? ""))
    }

    func encodeState(into output: inout [UInt8]) throws(EncodingFailure) {
        encodingCount += 1
        output += try json(states[0])
    }

    // MARK: Views

    /// The view of the state shows the number to those whose own number, their name, it has reached.
    var isPrivate = false
    /// The view of the state compares this input with that of the last time.
    var input = 0
    private(set) var viewCount = 0
    /// The nanoseconds that computing a view takes, and those that all have taken.
    var viewDuration: Int64 = 0
    private(set) var spentDuration: Int64 = 0
    var isViewUnwritable = false

    private final class Input {
        let value: Int

        init(_ value: Int) { self.value = value }
    }

    private func isReached(_ viewer: Viewer) -> Bool { states[0] >= Int(viewer.id ?? "") ?? 0 }

    var showsState: Bool { !isPrivate }
    func hasView(_ name: String) -> Bool { name == "sign" }

    func viewerClass(of viewer: Viewer, for view: String?) -> ViewerClass? {
        view == nil ? ViewerClass(isReached(viewer)) : nil
    }

    func leavers(ofView name: String?, among groups: Span<ViewerGroup>) -> [ViewerGroup.Leavers] {
        groups.indices.compactMap { place in
            let group = groups[place]
            let places = group.viewers.indices.filter {
                ViewerClass(isReached(group.viewers[$0])) != group.viewerClass
            }
            return places.isEmpty ? nil : (place, places)
        }
    }

    /// The number of times that inputs were compared together, and the nanoseconds that one takes.
    private(set) var comparisonCount = 0
    var comparisonDuration: Int64 = 0

    func changes(ofView name: String?, among inputs: Span<AnyObject?>) -> [Int]? {
        guard name == nil, input != 0 else { return nil }
        comparisonCount += 1
        spentDuration += comparisonDuration * Int64(inputs.count)
        var places: [Int] = []
        for place in inputs.indices where (inputs[place] as? Input)?.value != input {
            places.append(place)
        }
        return places
    }

    /// The number by itself: `{"n":3,"k":1}`.
    private struct Shown: Encodable {
        var n: Int?
        var k = 1

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(n, forKey: .n)
            try container.encode(k, forKey: .k)
        }

        private enum CodingKeys: CodingKey { case n, k }
    }

    func encodeView(
        _ view: ShownView, to output: inout ViewOutput
    ) throws(EncodingFailure) {
        spentDuration += viewDuration
        guard view.name == nil else {
            return try output.write(states[0] == 0 ? nil : states[0] > 0 ? "+" : "-")
        }
        guard !isViewUnwritable else {
            throw EncodingFailure(reason: .refused, pointer: JSONPointer(), detail: "No.")
        }
        if input != 0, (output.input as? Input)?.value == input { return }
        output.input = Input(input)
        viewCount += 1
        try output.write(Shown(n: view.viewerClass == ViewerClass(true) ? states[0] : nil))
    }
}
