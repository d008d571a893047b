import Redux
import Testing

@testable import StateCoding

@Suite struct `Secrets that are kept` {
    private enum Door: Codable, Equatable {
        case open
        case locked(Secret<String>)
    }

    private struct State: Codable, Equatable {
        var key: Secret<String>?
        var pin: Secret<Int>?
        var named: [String: Secret<String>] = [:]
        var list: [Secret<Int>] = []
        var door = Door.open
    }

    private let state = State(
        key: Secret("a"), pin: Secret(7), named: ["x/y": Secret("b"), "secret-1": Secret("c")],
        list: [Secret(1), Secret(2)], door: .locked(Secret("d")))

    private func decode(_ json: String) throws -> State {
        try StateDecoder().decode(
            State.self, from: Array(json.utf8), keeping: { StateEncoder().secrets(of: state) })
    }

    @Test func `are those of the places that read redacted`() throws {
        var json: [UInt8] = []
        try StateEncoder().encode(state, into: &json)
        #expect(try decode(String(decoding: json, as: UTF8.self)) == state)
    }

    @Test func `are those of the places that read redacted in another encoder's escapes`() throws {
        let json = #"{"key":"\u003credacted\u003e","pin":"\u003c\u0072\u0065\u0064\u0061\u0063"#
        let rest = #"\u0074\u0065\u0064\u003e","named":{},"list":[],"door":{"open":{}}}"#
        let changed = try decode(json + rest)
        #expect(changed.key == Secret("a") && changed.pin == Secret(7))
    }

    @Test func `are looked for only where something reads redacted`() throws {
        var count = 0
        for json in [
            #"{"key":"other","named":{},"list":[7],"door":{"open":{}}}"#,
            #"{"key":"<redacted>","named":{},"list":[],"door":{"open":{}}}"#,
        ] {
            _ = try StateDecoder().decode(
                State.self, from: Array(json.utf8),
                keeping: {
                    count += 1
                    return StateEncoder().secrets(of: state)
                })
        }
        #expect(count == 1)
    }

    @Test func `give way to those that are named`() throws {
        let json = #"{"key":"new","named":{"x/y":"<redacted>"},"list":["<redacted>",9],"door":"#
        let changed = try decode(json + #"{"locked":"<redacted>"}}"#)
        #expect(changed.key == Secret("new") && changed.pin == nil)
        #expect(changed.named == ["x/y": Secret("b")])
        #expect(changed.list == [Secret(1), Secret(9)])
        #expect(changed.door == .locked(Secret("d")))
    }

    @Test func `match their own text, also where that is the one that stands for them`() throws {
        let old = ["a": Secret("<redacted>")]
        let read = try StateDecoder().decode(
            [String: Secret<String>].self, from: Array(#"{"a":"<redacted>"}"#.utf8),
            keeping: { StateEncoder().secrets(of: old) })
        #expect(read["a"]?.matches("<redacted>") == true)
    }

    @Test(arguments: [
        (#"{"named":{"z":"<redacted>"},"list":[],"door":{"open":{}}}"#, "/named/z"),
        (#"{"named":{},"list":[1,2,"<redacted>"],"door":{"open":{}}}"#, "/list/2"),
    ])
    func `are not made up where there are none`(json: String, pointer: String) throws {
        do throws(DecodingFailure) {
            let secrets = StateEncoder().secrets(of: state)
            _ = try StateDecoder().decode(State.self, from: Array(json.utf8), keeping: { secrets })
            Issue.record("A secret was made up.")
        } catch {
            #expect(error.pointer.description == pointer && error.reason == .shape)
        }
    }

    private struct Seats: Codable, Equatable {
        struct Seat: Codable, Equatable {
            var id: Int?
            var keys: [Secret<Int>]
        }

        var seats: [Seat]
    }

    /// The first keys of seats, as an edit keeps them; nil where it keeps none.
    private func keys(of ids: [Int?], edited: [Int?]) -> [Int]? {
        let seats = Seats(
            seats: ids.enumerated().map { Seats.Seat(id: $1, keys: [Secret($0), Secret(9)]) })
        let texts = edited.map {
            "{\"id\":\($0.map(String.init) ?? "null"),\"keys\":[\"<redacted>\"]}"
        }
        let json = "{\"seats\":[\(texts.joined(separator: ","))]}"
        let decoded = try? StateDecoder().decode(
            Seats.self, from: Array(json.utf8), keeping: { StateEncoder().secrets(of: seats) })
        return decoded?.seats.map { $0.keys[0].value }
    }

    @Test func `go with the elements that have ids of their own`() {
        #expect(keys(of: [1, 2, 3], edited: [3, 1]) == [2, 0])
        #expect(keys(of: [1, 2, 3], edited: [2, 4]) == nil)
        #expect(keys(of: [1, 2, 3], edited: [2, 2]) == nil)
        // Without ids, or with the same, they are of the places.
        #expect(keys(of: [nil, nil, 7], edited: [nil, nil]) == [0, 1])
        #expect(keys(of: [5, 5, 7], edited: [5, 5, 7]) == [0, 1, 2])
        #expect(keys(of: [5, 5, 7], edited: [7, 5, 5]) == nil)
    }

    @Test func `are gathered for that alone`() throws {
        _ = StateEncoder().secrets(of: state)
        var json: [UInt8] = []
        try StateEncoder().encode(state, into: &json)
        #expect(!String(decoding: json, as: UTF8.self).contains("secret-1-"))
        #expect(String(decoding: json, as: UTF8.self).hasPrefix(#"{"key":"<redacted>""#))
        let read = try StateDecoder().decode(
            Secret<String>.self, from: Array("\"<redacted>\"".utf8))
        #expect(read == Secret("<redacted>"))
    }
}
