import Counter
import CounterModel
import StatecastTesting
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `The page of a problem` {
    @Test func `exists for codes that the server makes, and for no others`() async throws {
        try await MemoryServer.run(serving: { Served("/counter", CounterApplication()) }) {
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
        }
    }

    @Test func `shows the names of members as code`() throws {
        let page = try #require(ProblemPage.all.first { $0.code == "body-too-large" })
        #expect(page.html.contains("larger than <code>limit</code> bytes"))
        #expect(!page.html.contains("`"))
    }

    @Test func `is one for each code`() {
        #expect(Set(ProblemPage.all.map(\.code)).count == ProblemPage.all.count)
        #expect(ProblemPage.all.count > 70)
    }
}
