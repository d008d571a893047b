import Foundation
import FoundationNetworking
import Testing

extension `The Episodes page` {
    @Test func `shows what failed, and fetches it again when asked to`() async throws {
        let server = try StatecastServer()
        let upstream = JSONClient(base: try #require(server.upstream).absoluteString)
        let browser = try await Browser.take()
        try await upstream.fail("/episodes")
        try await browser.open("\(server.base)/episodes/")
        try await browser.click("[data-testid=failure] [data-testid=retry]")
        try await browser.wait(for: "document.querySelector('[data-testid=episode-row]')")
        try await browser.wait(for: "!document.querySelector('[data-testid=failure]')")

        try await upstream.fail("/episodes/*")
        try await upstream.fail("/episodes/*")
        try await browser.click("[data-testid=episode-row]")
        for count in [2, 1] {
            try await browser.wait(
                for: "document.querySelectorAll('[data-testid=failure]').length === \(count)")
            try await browser.click("[data-testid=failure] [data-testid=retry]")
        }
        try await browser.wait(for: "document.querySelector('[data-testid=comment]')")
        try await browser.wait(for: "!document.querySelector('[data-testid=failure]')")

        let draft = "document.querySelector('[data-testid=draft]').value"
        try await browser.type("Twice", into: "[data-testid=draft]")
        try await upstream.fail("/episodes/*", method: "POST")
        try await browser.click("[data-testid=post]")
        try await browser.wait(for: "document.querySelector('[data-testid=posting-failure]')")
        try await browser.wait(for: "\(draft) === 'Twice'")
        try await browser.click("[data-testid=post]")
        try await browser.wait(
            for: "document.querySelector('[data-testid=comment]').textContent.includes('Twice')")
        try await browser.wait(for: "\(draft) === ''")

        try await upstream.fail("/users/*")
        try await browser.click("[data-testid=comment] [data-testid=author]")
        try await browser.click("[data-testid=profile] [data-testid=retry]")
        try await browser.wait(for: "document.querySelector('[data-testid=profile-name]')")
        try await browser.quit()
        #expect(server.running.terminate() == 0)
    }
}

extension JSONClient {
    /// Tells the mock upstream to fail the next request to a path.
    fileprivate func fail(_ path: String, method: String? = nil) async throws {
        var rule: [String: Any] = ["path": path, "status": 503]
        rule["method"] = method
        let (response, _) = try await exchange("PUT", "/mock/failures", rule)
        #expect(response.statusCode == 204)
    }
}
