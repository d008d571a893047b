import Cards
import CardsModel
import Episodes
import EpisodesModel
import Foundation
import Rides
import RidesModel
import StateCoding
import Statecast
import Testing

@testable import StatecastTesting

/// What a client is told of JSON that is wrong: at each place of an example's actions and states stands
/// a value of each other kind, once.
@Suite struct `A text for a client` {
    /// The names of the standard library's types, and names like those of all other types.
    private static var typeNames: Regex<(Substring, Substring?)> {
        #/\b(String|Int\d*|Double|Bool|Array|Dictionary|Optional|Set|Any)\b|[a-z][A-Z]/#
    }

    private static let wrong: [JSONTree] = [
        .null, .text("other"), .number(-1), .other(Array("0.5".utf8)), .other(Array("true".utf8)),
        .array([]), .array([.null]), .object([]), .object([("other", .null)]),
    ]

    private static func check<App: Application>(_ type: App.Type) throws {
        let coder = try ActionCoder<App.Action>()
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Wire/\(App.self).jsonl")
        var texts: Set<String> = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let record = try JSONValue(parsing: Array(line.utf8).span)
            guard let json = record["json"].map(JSONTree.init) else { continue }
            for changed in json.changed({ _ in wrong }) {
                do throws(DecodingFailure) {
                    guard record["kind"]?.string == "state" else {
                        texts.formUnion(text(of: changed, by: coder))
                        continue
                    }
                    _ = try StateDecoder().decode(App.State.self, from: changed.json)
                } catch {
                    texts.insert(error.detail)
                }
            }
        }
        #expect(texts.count > 2)
        // The names of members are the client's own words.
        for text in texts where !text.hasPrefix("The member ") {
            #expect(text.firstMatch(of: typeNames) == nil, "\(text)")
        }
    }

    private static func text<Action>(of json: JSONTree, by coder: ActionCoder<Action>) -> [String] {
        do throws(ActionFailure) {
            _ = try coder.decodeAction(json.json.span, in: ActionMemory())
        } catch {
            if case .badPayload(_, let detail) = error { return [detail] }
        }
        return []
    }

    @Test func `names no type of Swift`() throws {
        try Self.check(TableApplication.self)
        try Self.check(LobbyApplication.self)
        try Self.check(EpisodesApplication.self)
        try Self.check(RidesApplication.self)
    }
}
