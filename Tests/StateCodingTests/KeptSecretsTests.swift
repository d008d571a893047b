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
            State.self, from: Array(json.utf8), keeping: StateEncoder().secrets(of: state))
    }

    @Test func `are those of the places that read redacted`() throws {
        var json: [UInt8] = []
        try StateEncoder().encode(state, into: &json)
        #expect(try decode(String(decoding: json, as: UTF8.self)) == state)
    }

    @Test func `give way to those that are named`() throws {
        let json = #"{"key":"new","named":{"x/y":"<redacted>"},"list":["<redacted>",9],"door":"#
        let changed = try decode(json + #"{"locked":"<redacted>"}}"#)
        #expect(changed.key == Secret("new") && changed.pin == nil)
        #expect(changed.named == ["x/y": Secret("b")])
        #expect(changed.list == [Secret(1), Secret(9)])
        #expect(changed.door == .locked(Secret("d")))
    }

    @Test(arguments: [
        (#"{"named":{"z":"<redacted>"},"list":[],"door":{"open":{}}}"#, "/named/z"),
        (#"{"named":{},"list":[1,2,"<redacted>"],"door":{"open":{}}}"#, "/list/2"),
    ])
    func `are not made up where there are none`(json: String, pointer: String) throws {
        do throws(DecodingFailure) {
            let secrets = StateEncoder().secrets(of: state)
            _ = try StateDecoder().decode(State.self, from: Array(json.utf8), keeping: secrets)
            Issue.record("A secret was made up.")
        } catch {
            #expect(error.pointer.description == pointer && error.reason == .shape)
        }
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
