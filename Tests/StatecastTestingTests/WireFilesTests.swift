import Foundation
import Redux
import Statecast
import Testing

@testable import StatecastTesting

@Suite struct `Wire files` {
    /// The folder of a test, which ends with it.
    private final class Folder: Sendable {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "statecast-wire-\(UUID().uuidString)")

        deinit { try? FileManager.default.removeItem(at: url) }

        var file: URL { url.appending(path: "Wire/Diary.jsonl") }

        func files<App: Application>(
            of application: App, isUpdated: Bool = false
        ) -> WireFiles<App> {
            var files = WireFiles(
                of: application, in: "Wire", testFile: url.appending(path: "Tests.swift").path)
            files.isUpdated = isUpdated
            return files
        }

        /// Makes the file of a diary.
        func begin() {
            files(of: Diary(), isUpdated: true).check(
                examples: [.written(text: "text", mood: .good)])
        }

        func lines() throws -> [String] {
            let text = try String(contentsOf: file, encoding: .utf8)
            return text.split(separator: "\n").map(String.init)
        }

        func write(_ lines: [String]) throws {
            try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: file)
        }
    }

    /// Pages of a diary.
    private struct Diary: Application {
        enum Mood: String, StateValue { case good, bad }

        struct State: StateValue {
            var pages: [String] = []
        }

        enum Action: ActionGroup {
            case written(text: String, mood: Mood)
            case page(PageAction)
            case saved(Answer<Int>)
        }

        enum PageAction: ActionGroup { case torn(index: Int) }

        let initialState = State()
        var views: Views<State> {
            Views(
                state: .all,
                View("own") { state, viewer in (viewer.id ?? "") + "\(state.pages.count)" })
        }

        func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {}
        func work(in state: State) -> [Work<Action>] {}
    }

    @Test func `hold each type with every case of its payload, states, and what people see`() throws
    {
        let folder = Folder()
        folder.files(of: Diary(), isUpdated: true).check(
            examples: [.written(text: "text", mood: .good)],
            states: ["begun": .init(pages: ["Hi"])], seenBy: [Principal("alice")])
        let json = try folder.lines().map { line in
            let record = try #require(WireRecord(line: line[...]))
            return "\(record.kind) \(record.name): \(String(decoding: record.json, as: UTF8.self))"
        }
        let problem = #"{"problem":{"code":"code","message":"message"}}"#
        #expect(
            json == [
                #"action page/torn: {"type":"page/torn","payload":{"index":1}}"#,
                #"action written: {"type":"written","payload":{"text":"text","mood":"good"}}"#,
                #"action written: {"type":"written","payload":{"text":"text","mood":"bad"}}"#,
                #"fact saved: {"type":"saved","payload":{"value":1}}"#,
                #"fact saved: {"type":"saved","payload":\#(problem)}"#,
                #"state begun: {"pages":["Hi"]}"#, #"state initial: {"pages":[]}"#,
                #"view state of begun for alice: {"pages":["Hi"]}"#,
                #"view own of begun for alice: "alice1""#,
                #"view state of initial for alice: {"pages":[]}"#,
                #"view own of initial for alice: "alice0""#,
            ])
        folder.files(of: Diary()).check(
            states: ["begun": .init(pages: ["Hi"])], seenBy: [Principal("alice")])
    }

    @Test func `fail where a type is new, gone, or cannot be read any more`() throws {
        let folder = Folder()
        folder.begin()
        let lines = try folder.lines()
        try folder.write(lines.map { $0.replacing(#"{"text""#, with: #"{"words""#) })
        let unread = recordedIssues { folder.files(of: Diary()).check() }.joined()
        #expect(unread.contains("This cannot be read any more: {\"type\":\"written\""), "\(unread)")

        try folder.write(lines.map { $0.replacing("page/torn", with: "page/ripped") })
        let gone = recordedIssues { folder.files(of: Diary()).check() }.joined()
        #expect(gone.contains("No action has the type page/ripped any more"), "\(gone)")
        #expect(gone.contains(#"+ {"kind":"action","name":"page/torn""#), "\(gone)")

        try folder.write(lines.map { $0.replacing(#"{"pages":[]}"#, with: #"{"sheets":[]}"#) })
        let state = recordedIssues { folder.files(of: Diary()).check() }.joined()
        #expect(state.contains("The state \"initial\" that was kept cannot be read"), "\(state)")

        let unknown = recordedIssues { Folder().files(of: Diary()).check() }.joined()
        #expect(unknown.contains("written has no example, and none can be made up"), "\(unknown)")
    }

    @Test func `keep the examples that they have, and take those that a test gives`() throws {
        let folder = Folder()
        folder.begin()
        let lines = try folder.lines()
        let own = try #require(lines.first { $0.contains("page/torn") }).replacing("1", with: "7")
        try folder.write(lines.map { $0.contains("page/torn") ? own : $0 })
        folder.files(of: Diary()).check()
        let given = recordedIssues {
            folder.files(of: Diary()).check(examples: [.written(text: "Hi", mood: .bad)])
        }.joined()
        #expect(given.contains(#"+ {"kind":"action","name":"written""#) && given.contains("Hi"))
        folder.files(of: Diary(), isUpdated: true).check(
            examples: [.written(text: "Hi", mood: .bad)])
        #expect(try folder.lines().contains(own))
    }

    /// A report on the moods of a diary.
    private struct Report: Application {
        enum Color: String, StateValue { case red, green, blue, black, white }

        enum Source: StateValue {
            case pages(of: Diary.Mood)
            case cover(Color)
        }

        enum Action: ActionGroup {
            case told(Answer<Diary.Mood>)
            case painted(front: Color, back: Color)
            case asked(Source)
        }

        let initialState = Diary.State()

        var views: Views<Diary.State> { .all }

        func reduce(_ state: inout Diary.State, _ action: Action, _ step: Step) throws(Rejection) {}
        func work(in state: Diary.State) -> [Work<Action>] {}
    }

    @Test func `hold each case of each enum, however many there are`() throws {
        let folder = Folder()
        folder.files(of: Report(), isUpdated: true).check(examples: [
            .told(.value(.good)), .painted(front: .red, back: .red), .asked(.cover(.red)),
        ])
        folder.files(of: Report()).check()
        let text = try String(
            contentsOf: folder.url.appending(path: "Wire/Report.jsonl"), encoding: .utf8)
        let lines = text.split(separator: "\n")
        for color in ["red", "green", "blue", "black", "white"] {
            #expect(text.contains(#""front":"\#(color)""#) && text.contains(#""back":"\#(color)""#))
            #expect(lines.contains { $0.contains("asked") && $0.contains(color) })
        }
        for mood in ["good", "bad"] {
            #expect(text.contains(#"{"value":"\#(mood)"}"#))
            #expect(lines.contains { $0.contains("asked") && $0.contains(mood) })
        }
        #expect(lines.count { $0.contains("painted") } == 9)
        #expect(lines.count { $0.contains("told") } == 3)
    }

    @Test func `fail where no line shows a case, until an update adds it`() throws {
        let folder = Folder()
        folder.begin()
        let lines = try folder.lines()
        try folder.write(lines.filter { !$0.contains(#""mood":"bad""#) })
        let missing = recordedIssues { folder.files(of: Diary()).check() }.joined()
        #expect(missing.contains("UPDATE_WIRE=1, which adds what is new"), "\(missing)")
        #expect(missing.contains(#"+ {"kind":"action","name":"written""#), "\(missing)")
        #expect(!missing.contains("\n- "), "\(missing)")
        folder.files(of: Diary(), isUpdated: true).check()
        #expect(try folder.lines() == lines)
    }

    @Test func `fail for lines that are no records, also while they are left out`() throws {
        let folder = Folder()
        folder.begin()
        let lines = try folder.lines()
        try folder.write(["no record"] + lines)
        let unread = recordedIssues { folder.files(of: Diary()).check() }
        #expect(unread.count == 1 && unread[0].contains("Line 1 is no record: no record"))
        let updated = recordedIssues { folder.files(of: Diary(), isUpdated: true).check() }
        #expect(updated.count == 1 && updated[0].contains("Line 1 is no record: no record"))
        #expect(try folder.lines() == lines)

        try folder.write(lines.map { $0.replacing("page/torn", with: "page/ripped") })
        let gone = recordedIssues { folder.files(of: Diary(), isUpdated: true).check() }.joined()
        #expect(gone.contains("No action has the type page/ripped any more"), "\(gone)")
        #expect(try folder.lines() == lines)
    }

    @Test func `fail where no file is there yet`() {
        let folder = Folder()
        let texts = recordedIssues { folder.files(of: Diary()).check() }
        #expect(texts.count == 1 && texts[0].contains("run the test with UPDATE_WIRE=1"))
        let types = recordedIssues { folder.files(of: Diary()).checkTypes() }
        #expect(types.count == 1 && types[0].contains("run the test with UPDATE_WIRE=1"))
    }

    @Test func `keep the types that the server tells, with those of its examples`() throws {
        let folder = Folder()
        let examples = [Shelf.Action.put(Shelf.Code("A-1"))]
        folder.files(of: Shelf(), isUpdated: true).checkTypes(examples: examples)
        folder.files(of: Shelf()).checkTypes(examples: examples)
        let kept = try String(
            contentsOf: folder.url.appending(path: "Wire/Shelf.ts"), encoding: .utf8)
        let told = try Server {
            Served("/shelf", Shelf(), options: SessionOptions(examples: examples))
        }.types().split(separator: "\n")
        #expect(kept.split(separator: "\n").dropFirst() == told.dropFirst())
        #expect(!kept.contains("payload: unknown"), "\(kept)")
    }

    private struct Shelf: Application {
        struct State: StateValue {}
        struct Code: StateValue {
            var text: String
            init(_ text: String) { self.text = text }
            init(from decoder: any Decoder) throws {
                let whole = try decoder.singleValueContainer()
                text = try whole.decode(String.self)
                guard text.hasPrefix("A-") else { throw CancellationError() }
            }
            func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
        }
        enum Action: ActionGroup { case put(Code), moved(Pair) }
        struct Pair: StateValue {
            var code: Code
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                code = try list.decode(Code.self)
            }
        }

        let initialState = State()
        var views: Views<State> { .all }
        func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {}
        func work(in state: State) -> [Work<Action>] {}
    }
}
