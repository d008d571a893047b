import Foundation
import FoundationNetworking
import TemporaryFolder
import Testing

/// The Timeline page of a server of its own, in a browser of its own.
struct TimelinePage {
    let server: StatecastServer
    let browser: Browser
    let client: JSONClient

    /// Starts both, and ends them after the body.
    static func with(_ body: (TimelinePage) async throws -> Void) async throws {
        let server = try StatecastServer()
        let browser = try await Browser.take()
        try await body(
            TimelinePage(
                server: server, browser: browser,
                client: server.client))
        try await browser.quit()
        #expect(server.running.terminate() == 0)
    }

    /// Makes a session whose entries are kept from its beginning on.
    func makeSession(_ path: String) async throws {
        _ = try await client.exchange("PUT", path)
        let (response, _) = try await client.exchange("GET", path + "/log")
        #expect(response.statusCode == 200)
    }

    /// Opens the page on a session, and waits for the state of its newest version, or of the one
    /// that the query names.
    func open(_ path: String, _ query: String = "", showing version: Int) async throws {
        try await browser.open("\(client.base)/inspect/timeline/?session=\(path)\(query)")
        try await waitForState(at: version)
    }

    /// Waits until the state of a version is shown.
    func waitForState(at version: Int) async throws {
        try await browser.wait(
            for: "document.querySelector('[data-testid=detail]').dataset.shown === '\(version)'")
    }

    /// Waits until nothing is marked so.
    func waitForNo(_ id: String) async throws {
        try await browser.wait(for: "!document.querySelector('[data-testid=\(id)]')")
    }

    /// Chooses an entry that is in sight.
    func choose(_ version: Int) async throws {
        try await browser.click("[data-testid=entry][data-version='\(version)']")
        try await waitForState(at: version)
    }

    /// The text of what tests find by an id, in the row of a version.
    func text(_ id: String, of version: Int) async throws -> String? {
        let row = "[data-testid=entry][data-version='\(version)']"
        return try await text("\(row) [data-testid=\(id)]")
    }

    /// The text of an element; nil where there is none.
    func text(_ selector: String) async throws -> String? {
        try await browser.run(
            "return document.querySelector(arguments[0])?.textContent ?? null", [selector])
            as? String
    }

    /// Writes a file and opens it in the page, as if it had been chosen, until a state or a fault is
    /// shown.
    func openFile(_ text: String) async throws {
        let folder = try TemporaryFolder(["file.ndjson": text])
        try await browser.type("\(folder.path)/file.ndjson", into: "[data-testid=open-file]")
        try await browser.wait(
            for: "document.querySelector('[data-testid=detail]')?.dataset.shown"
                + " || document.querySelector('[data-testid$=fault]')")
    }
}
