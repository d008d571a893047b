import FoundationEssentials
import Journaling
public import Redux
import Sessions
import StateCoding
public import Statecast
public import Testing

/// What a session has done, as the file tells it that `GET M/sessions/{id}/recording` gives.
///
///     @Test func `today's reducer does what it did in Friday's auction`() throws {
///         try Recording(of: Auction(), contentsOf: "Friday.ndjson").check()
///     }
///
/// A folder of them is a suite that needs no more than one line:
///
///     @Test func `today's reducer does what it did`() throws {
///         try Recording.checkAll(in: "Recordings", of: Auction())
///     }
///
/// No secret stands in a recording: in its actions and states `"<redacted>"` does.
public struct Recording<App: Application>: Sendable {
    /// One entry of a session.
    public struct Entry: Sendable {
        /// Its number.
        public let version: UInt64
        /// The time at which it was decided.
        public let at: Timestamp
        /// The one who sent the action; nil where the server itself did.
        public let by: Principal?
        /// The version that has caused it; nil for what came from outside.
        public let cause: UInt64?
        /// The bits that its random numbers came from, where it drew any.
        public let seed: Seed?
        /// Nil where the state was set by hand, or where today's application has no such action.
        public let action: App.Action?
    }

    /// The state that it begins with.
    public let initialState: App.State
    /// The version of that state.
    public let version: UInt64
    /// The session; nil where the file does not tell.
    public let session: SessionID?
    /// The program that has written it, by the id that its linker has given it; nil where the file does not tell.
    public let build: String?
    /// The entries in their order.
    public let entries: [Entry]
    /// The lines of the file.
    public let text: String
    private let application: App
    private let options: SessionOptions<App.State, App.Action>
    private let coder: ActionCoder<App.Action>
    private let recording: ReplayedRecording

    /// Reads a recording; throws a `TestFailure` that shows the line that is none of the application's.
    ///
    /// - Parameter options: what its sessions need beside it: with the migrations of its schema a recording
    ///   of an earlier one is read, too.
    public init(
        of application: App, options: SessionOptions<App.State, App.Action> = .init(),
        _ text: String
    ) throws(TestFailure) {
        (self.application, self.options, self.text) = (application, options, text)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        do {
            coder = try ActionCoder<App.Action>()
        } catch {
            throw .undecodable(String(lines[0]), reason: "\(error)")
        }
        do throws(RecordingFault) {
            var reader = try RecordingReader(
                Array(text.utf8), entryLimit: .max, stateByteLimit: .max)
            recording = try reader.read()
            initialState = try WhatIf(recording, of: application, options, coder).state
        } catch {
            throw .undecodable(
                String(lines[min(error.line, lines.count) - 1]),
                reason: "\(error.pointer.isEmpty ? "" : "\(error.pointer): ")\(error.detail)")
        }
        (version, build) = (recording.version, recording.build)
        session = recording.session.flatMap(SessionID.init)
        entries = recording.entries.map { [coder] in Entry($0, coder) }
    }

    /// Reads a recording from a file.
    ///
    /// - Parameters:
    ///   - path: beside the test's file, unless it begins with a slash.
    ///   - testFile: the file of the test.
    public init(
        of application: App, options: SessionOptions<App.State, App.Action> = .init(),
        contentsOf path: String, testFile: String = #filePath
    ) throws {
        let data = try Data(contentsOf: Self.place(path, beside: testFile))
        try self.init(of: application, options: options, String(decoding: data, as: UTF8.self))
    }

    /// Writes it to a file, beside the test's file unless the path begins with a slash.
    public func write(to path: String, testFile: String = #filePath) throws {
        try Data(text.utf8).write(to: Self.place(path, beside: testFile), options: .atomic)
    }

    private static func place(_ path: String, beside testFile: String) -> URL {
        let folder = URL(filePath: testFile).deletingLastPathComponent()
        return path.hasPrefix("/") ? URL(filePath: path) : folder.appending(path: path)
    }

    /// Reduces each action again, as the step that its entry tells, and records an issue at the first
    /// entry that comes to something else than it did: another state, a rejection, or an action that is none
    /// any more. The issue has both patches, and a test of that entry alone, to be kept.
    ///
    /// - Parameters:
    ///   - session: the one that steps tell, in place of the recording's.
    ///   - expression: makes the application in that test, where `Auction()` does not.
    /// - Returns: the versions that could not be compared: they have read secrets.
    @discardableResult
    public func check(
        session: SessionID? = nil, writtenAs expression: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [UInt64] {
        check(session, expression, in: "", sourceLocation)
    }

    private func check(
        _ session: SessionID?, _ expression: String?, in file: String,
        _ sourceLocation: SourceLocation
    ) -> [UInt64] {
        do throws(RecordingFault) {
            var whatIf = try WhatIf(
                recording, of: application, options, coder,
                session: session)
            let (difference, uncompared) = try whatIf.firstDifference(by: expression)
            if let difference {
                fail("\(file)\(difference)\n\n\(difference.test)", sourceLocation)
            }
            return uncompared
        } catch {
            fail("\(file)Line \(error.line) cannot be read: \(error.detail)", sourceLocation)
            return []
        }
    }

    /// Checks each recording in a folder, the files whose names end with `.ndjson`: there has to be one.
    ///
    /// - Parameters:
    ///   - folder: beside the test's file, unless it begins with a slash.
    ///   - expression: as in `check`.
    public static func checkAll(
        in folder: String, of application: App,
        options: SessionOptions<App.State, App.Action> = .init(),
        writtenAs expression: String? = nil, testFile: String = #filePath,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let files = try RecordingFiles.all(at: [place(folder, beside: testFile).path])
        if files.isEmpty { fail("There is no recording in \(folder).", sourceLocation) }
        for file in files {
            do {
                let recording = try Recording(
                    of: application, options: options, contentsOf: file)
                _ = recording.check(nil, expression, in: "\(file): ", sourceLocation)
            } catch {
                fail("\(file): \(error)", sourceLocation)
            }
        }
    }
}

extension Recording.Entry {
    fileprivate init(_ entry: EncodedEntry, _ coder: ActionCoder<App.Action>) {
        let told = RecordedStep(entry, coder)
        (version, at) = (entry.version, entry.at)
        (by, cause, seed) = (told.by, told.cause, told.seed)
        if case .success(let action) = told.action { self.action = action } else { action = nil }
    }
}
