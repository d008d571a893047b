import Foundation
import Redux
import Testing

@Suite struct `A loadable value` {
    @Test func `keeps what was fetched before while it is fetched again, and beside a problem`() {
        var text = Loadable<String>.idle
        #expect(text.value == nil && text.problem == nil && !text.isLoading)
        text.load()
        #expect(text == .loading(nil))
        #expect(text.isLoading)
        text.finish(.value("a"))
        #expect(text == .loaded("a"))
        #expect(text.value == "a" && !text.isLoading)
        text.load()
        #expect(text == .loading("a"))
        #expect(text.value == "a" && text.isLoading)
        text.finish(.problem(.timedOut))
        #expect(text == .failed(.timedOut, "a"))
        #expect(text.value == "a" && text.problem == .timedOut && !text.isLoading)
        text.load()
        #expect(text == .loading("a"))
        #expect(text.problem == nil)
    }

    @Test func `that was never fetched has nothing beside its problem`() {
        var text = Loadable<String>.loading(nil)
        text.finish(.problem(.failed))
        #expect(text == .failed(.failed, nil))
        #expect(text.value == nil)
        #expect(text.problem == .failed)
    }

    @Test(arguments: [
        (Loadable<Int>.idle, #"{"status":"idle"}"#),
        (.loading(nil), #"{"status":"loading"}"#),
        (.loading(1), #"{"status":"loading","value":1}"#),
        (.loaded(1), #"{"status":"loaded","value":1}"#),
        (
            .failed(.failed, nil),
            #"{"problem":{"code":"failed","message":"It did not work."},"status":"failed"}"#
        ),
        (
            .failed(Problem("gone", "It is gone."), 1),
            #"{"problem":{"code":"gone","message":"It is gone."},"status":"failed","value":1}"#
        ),
    ])
    func `is an object with a status, and is read from it`(
        value: Loadable<Int>, json: String
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(value)
        #expect(String(decoding: data, as: UTF8.self) == json)
        #expect(try JSONDecoder().decode(Loadable<Int>.self, from: data) == value)
    }

    @Test(arguments: [
        #"{"status":"lost"}"#, #"{"value":1}"#, #"{"status":"loaded"}"#,
        #"{"status":"failed","value":1}"#,
    ])
    func `is not read from what is none`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Loadable<Int>.self, from: Data(json.utf8))
        }
    }
}
