import Foundation
import Redux
import Testing

@Suite struct `An answer of work` {
    @Test func `has a value or a problem`() {
        let answers: [Answer<Int>] = [.value(1), .problem(.timedOut)]
        #expect(answers.map(\.value) == [1, nil])
        #expect(answers.map(\.problem) == [nil, .timedOut])
        #expect(Answer.value(Done()).value == Done())
    }

    @Test func `has a problem with a code for programs and a sentence for people`() {
        #expect(Problem.failed == Problem("failed", "It did not work."))
        #expect(Problem.timedOut == Problem("timed-out", "It took too long."))
        #expect(Problem("a", "A.") != Problem("a", "B."))
    }

    @Test(arguments: [
        (Answer.value([1, 2]), #"{"value":[1,2]}"#), (.value([]), #"{"value":[]}"#),
        (
            .problem(Problem("card-declined", "Ask the bank.")),
            #"{"problem":{"code":"card-declined","message":"Ask the bank."}}"#
        ),
    ])
    func `is an object with a value or a problem, and is read from it`(
        answer: Answer<[Int]>, json: String
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(answer)
        #expect(String(decoding: data, as: UTF8.self) == json)
        #expect(try JSONDecoder().decode(Answer<[Int]>.self, from: data) == answer)
    }

    @Test(arguments: [
        #"{}"#, #"{"value":"a"}"#, #"{"problem":{"code":"a"}}"#,
        #"{"value":1,"problem":{"code":"a","message":"A."}}"#,
    ])
    func `is not read from what is none`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Answer<Int>.self, from: Data(json.utf8))
        }
    }

    @Test func `is marked as what only the server says, as a problem is`() {
        // A client's decoder asks for the mark, however deep the value lies.
        let types: [Any.Type] = [Answer<Int>.self, Problem.self, Loadable<Int>.self]
        #expect(types.map { $0 is any ServerSaid.Type } == [true, true, false])
    }
}
