import Counter
import CounterModel
import StatecastTesting
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `The page of a problem` {
    @Test func `exists for codes that the server makes, and for no others`() async throws {
        try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) {
            server in
            for page in ProblemPage.all {
                let answer = try server.send("GET", "/problems/\(page.code)")
                #expect(answer.status == 200)
                #expect(answer.body.contains(page.retry))
            }
            let rejected = try server.send("GET", "/problems/rejected/too-far")
            #expect(rejected.body.contains("<code>errors</code>"))
            for code in [
                "rejected/<b>", "anything", "<script>", "Out-of-scope", "out-of-scop",
                "out-of-scope/",
            ] {
                let answer = try server.send("GET", "/problems/\(code)")
                #expect(answer.status == 404 || answer.status == 400)
            }
            for path in ["/", "/nothing", "/counter", "/counter/sessions/demo/nothing"] {
                let answer = try server.send("GET", path)
                #expect(answer.status == 404)
                #expect(answer.fields["content-type"] == "application/problem+json")
            }
        }
    }
}
