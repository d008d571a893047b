import FoundationEssentials
public import Redux
import StateCoding
public import Statecast
public import Testing

/// A test that an application's wire form stays as it is: what clients send and see, and what logs
/// hold.
///
///     @Test func `the wire form of the counter stays`() {
///         WireFiles(of: CounterApplication(), in: "Wire").check()
///     }
///
/// A folder beside the test's file holds a file for each application, `CounterApplication.jsonl`,
/// with a JSON document on each line: examples of each type of actions and facts, states, and
/// what each principal sees of them.
///
///     {"kind":"action","name":"incremented","json":{"type":"incremented","payload":{"by":1}}}
///
/// The test reads each action and state of the file with the types of today, which is what a journal
/// does with its log, and writes them again. It fails with the lines that have changed, and with what
/// cannot be read any more: a case that has been renamed, for example. It fails as well where a case
/// of an enum in a payload stands in no line.
///
/// The file is made, and changed, by a run with the environment variable `UPDATE_WIRE=1`: its
/// differences then stand in the review. Examples of types and cases that the file does not have yet
/// are made up then: plain values, and each case once of an enum that an example or a state shows.
/// Where none can be made up, the run asks for an example. Those in the file stay; the run fails where
/// some cannot be read any more and are left out.
public struct WireFiles<App: Application> {
    private let application: App
    private let file: URL
    var isUpdated = ProcessInfo.processInfo.environment["UPDATE_WIRE"] == "1"

    /// A test of an application's wire form.
    ///
    /// - Parameters:
    ///   - folder: holds the files; beside the test's file.
    ///   - testFile: the file of the test.
    public init(of application: App, in folder: String, testFile: String = #filePath) {
        self.application = application
        file = URL(filePath: testFile).deletingLastPathComponent().appending(path: folder)
            .appending(path: "\(App.self).jsonl")
    }

    /// Compares the application's wire form with the file; records one issue where it is another.
    ///
    /// - Parameters:
    ///   - examples: actions beside those that are made up.
    ///   - states: states by their names, beside the initial one, `initial`.
    ///   - viewers: the principals to whom all states are shown.
    public func check(
        examples: [App.Action] = [], states: [String: App.State] = [:],
        seenBy viewers: [Principal] = [.anonymous],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do {
            let (kept, unread) = try read()
            let all = states.merging(["initial": application.initialState]) { given, _ in given }
            let form = try WireForm(
                of: application, examples: examples, states: all, viewers: viewers, kept: kept)
            let lines = form.records.map(\.line)
            let faults = unread + form.faults
            if isUpdated { try write(lines, to: file) }
            let differences =
                isUpdated ? [] : Self.differences(from: kept.map(\.line), to: lines)
            guard !faults.isEmpty || !differences.isEmpty else { return }
            let name = file.lastPathComponent
            let title =
                isUpdated
                ? "\(name) is written, without what is not the wire form of \(App.self) any more:"
                : "The wire form of \(App.self) is not the one in \(name) (-: no more, +: new); "
                    + "where that is meant, run the test with UPDATE_WIRE=1, which adds what is new:"
            fail(([title] + faults + differences).joined(separator: "\n"), sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }

    /// Compares the application's types for TypeScript with the file beside, `CounterApplication.ts`,
    /// which is made and changed in the same way; records one issue where they are others.
    ///
    ///     @Test func `the types of the counter stay`() {
    ///         WireFiles(of: CounterApplication(), in: "Wire").checkTypes()
    ///     }
    ///
    /// They are what `Server.types(of:)` tells under a first line that names the application's type, and
    /// are kept where a page's code imports them from.
    ///
    /// - Parameter examples: those of the options with which the application is served.
    public func checkTypes(
        examples: [App.Action] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do {
            let document = SchemaDocument(
                of: application, try ActionCoder<App.Action>(), application.views,
                examples: examples, at: "\(App.self)")
            let types = file.deletingPathExtension().appendingPathExtension("ts")
            let lines = document.typeScript.split(separator: "\n").map(String.init)
            if isUpdated { return try write(lines, to: types) }
            let isKept = FileManager.default.fileExists(atPath: types.path)
            let kept = isKept ? try String(contentsOf: types, encoding: .utf8) : ""
            let differences = Self.differences(
                from: kept.split(separator: "\n").map(String.init), to: lines)
            guard !differences.isEmpty else { return }
            let title =
                "The types of \(App.self) are not those in \(types.lastPathComponent) (-: no more, "
                + "+: new); where that is meant, run the test with UPDATE_WIRE=1:"
            fail(([title] + differences).joined(separator: "\n"), sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }

    /// The records of the file, and a sentence about each line that is none.
    private func read() throws -> (records: [WireRecord], faults: [String]) {
        guard FileManager.default.fileExists(atPath: file.path) else { return ([], []) }
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        var records: [WireRecord] = []
        var faults: [String] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty {
            if let record = WireRecord(line: line) {
                records.append(record)
            } else {
                faults.append("Line \(index + 1) is no record: \(line)")
            }
        }
        return (records, faults)
    }

    private func write(_ lines: [String], to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let text = lines.map { "\($0)\n" }.joined()
        try Data(text.utf8).write(to: file, options: .atomic)
    }

    private static func differences(from old: [String], to new: [String]) -> [String] {
        let changes = new.difference(from: old)
        return (changes.removals + changes.insertions).map { change in
            switch change {
            case .remove(_, let line, _): "- \(line)"
            case .insert(_, let line, _): "+ \(line)"
            }
        }
    }
}
