import Foundation
import FoundationNetworking
import Testing

@Suite(.serialized) struct `The address of a page` {
    /// The id that a page without one has put into its address, once its state is shown.
    private func openedID(_ page: String, _ browser: Browser) async throws -> String {
        try await browser.open(page)
        try await browser.wait(for: "document.querySelector('[data-testid=connection]')")
        let id = try await browser.run(
            "return new URL(location.href).searchParams.get('session')")
        return try #require(id as? String)
    }

    @Test func `gets an id with 128 bits that cannot be guessed, and opens the same again`()
        async throws
    {
        let server = try StatecastServer([], delay: "0")
        let browser = try await Browser.take()
        for name in ["counter", "episodes"] {
            var ids: Set<String> = []
            for isFirst in [true, false] {
                let id = try await openedID("\(server.base)/\(name)/", browser)
                // One of 32 characters is 5 bits.
                let tail = try #require(id.split(separator: "-").last)
                #expect(tail.wholeMatch(of: /[0-9a-hjkmnp-tv-z]{26,}/) != nil, "\(id)")
                ids.insert(String(tail))
                guard isFirst else { continue }
                try await browser.reload()
                try await browser.wait(
                    for: "document.querySelector('[data-testid=connection]')")
                let again = try await browser.run("return location.search")
                #expect(again as? String == "?session=\(id)")
            }
            #expect(ids.count == 2)
        }
        try await browser.quit()
    }

    @Test func `of one person's session gets the id that the server made`() async throws {
        let server = try StatecastServer([], delay: "0")
        let browser = try await Browser.take()
        let base = server.base
        let id = try await openedID("\(base)/rides/", browser)
        // The page's own ids begin with words.
        #expect(id.wholeMatch(of: /[0-9a-f]{32}/) != nil, "\(id)")
        let client = JSONClient(base: base)
        let (response, _) = try await client.exchange("GET", "/rides/sessions/\(id)")
        #expect(response.statusCode == 200)
        try await browser.quit()
    }
}
