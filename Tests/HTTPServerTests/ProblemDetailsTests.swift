@testable import HTTPServer
import HTTPTypes
import Testing

@Suite struct ProblemDetailsTests {
    @Test func `a problem is written as RFC 9457 draws it`() {
        let problem = ProblemDetails(
            .unprocessableContent, code: "unknown-type", detail: "No \"x\"\n\u{1F}é\\",
            members: [
                .text("pointer", "/type"), .texts("known", ["a", "b"]), .number("limit", 3),
                .json("at", "[1]"),
            ])
        var bytes: [UInt8] = []
        problem.write(to: &bytes)
        #expect(
            text(bytes)
                == #"{"type":"/problems/unknown-type","title":"Unprocessable Content","#
                + #""status":422,"detail":"No \"x\"\u000a\u001fé\\","pointer":"/type","#
                + #""known":["a","b"],"limit":3,"at":[1]}"#)
    }

    @Test func `a status without a name has a title all the same`() {
        var bytes: [UInt8] = []
        ProblemDetails(.init(code: 499), code: "odd").write(to: &bytes)
        #expect(text(bytes) == #"{"type":"/problems/odd","title":"Error 499","status":499}"#)
    }
}
