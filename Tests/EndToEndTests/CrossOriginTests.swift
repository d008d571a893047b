import Foundation
import FoundationNetworking
import Statecast
import StatecastTesting
import Testing

@Suite(.serialized) struct `A page of another site` {
    private static let session = "/counter/sessions/shared"

    /// A browser that shows a page of `127.0.0.1`, and a server that it asks for as `localhost`: for
    /// browsers these are two sites.
    private func withPage(
        isListed: Bool, _ body: (_ browser: Browser, _ url: String) async throws -> Void
    ) async throws {
        let page = try StatecastServer()
        let listed = isListed ? page.base : "https://app.example"
        let server = try StatecastServer(["--cors-origin", listed, "--cors-credentials"])
        let browser = try await Browser.take()
        try await browser.open("\(page.base)/livez")
        try await body(browser, "http://localhost:\(server.port)")
        try await browser.quit()
    }

    /// Makes a session from the page, dispatches an action by requests that browsers ask about
    /// before, and tells what it could read.
    private func visit(_ url: String) -> String {
        """
        window.seen = [];
        const options = {
          method: 'POST', credentials: 'include',
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'one' },
          body: JSON.stringify({ type: 'incremented', payload: { by: 2 } }),
        };
        (async () => {
          try {
            const made = await fetch('\(url)\(Self.session)', {
              method: 'PUT', credentials: 'include' });
            window.seen.push('made ' + made.status);
            options.headers['If-Match'] = made.headers.get('ETag');
            const acted = await fetch('\(url)\(Self.session)/actions', options);
            window.seen.push('acted ' + acted.status + ' ' + (await acted.json()).version);
            const missing = await fetch('\(url)/nothing', { credentials: 'include' });
            window.seen.push('missing ' + missing.status + ' ' + (await missing.json()).type);
          } catch (error) {
            window.seen.push('refused ' + error.name);
          }
          window.isDone = true;
        })();
        """
    }

    private func watch(_ url: String, _ id: String) -> String {
        """
        window.events = [];
        window.stream = new EventSource('\(url)/counter/sessions/\(id)/events', {
          withCredentials: true });
        window.stream.onmessage = event => window.events.push(event.data);
        window.stream.onerror = () => window.events.push('error ' + window.stream.readyState);
        """
    }

    @Test func `acts and watches with credentials where its origin is listed`() async throws {
        try await withPage(isListed: true) { browser, url in
            try await browser.run(visit(url))
            try await browser.wait(for: "window.isDone")
            let seen = try await browser.run("return window.seen") as? [String]
            #expect(seen == ["made 201", "acted 200 1", "missing 404 /problems/not-found"])
            try await browser.run(watch(url, "shared"))
            try await browser.wait(for: "window.events.length === 1")
            let events = try await browser.run("return window.events") as? [String]
            #expect(events == [#"{"count":2}"#])
            try await browser.run(
                """
                return import('/client/statecast.js').then(async ({ openSession }) => {
                  const { now } = Date;
                  Date.now = () => now() - 3_600_000;
                  window.mirror = await openSession(`${arguments[0]}/counter`, 'client', {
                    credentials: 'include', headers: { Authorization: 'Bearer token' },
                  });
                  await mirror.dispatch({ type: 'incremented', payload: { by: 3 } });
                });
                """, [url])
            try await browser.wait(for: "mirror.state?.count === 3")
            // This device is an hour behind.
            try await browser.wait(for: "Math.abs(mirror.clock.offset - 3_600_000) < 2_000")
        }
    }

    @Test func `neither acts nor watches where its origin is not listed`() async throws {
        try await withPage(isListed: false) { browser, url in
            try await browser.run(visit(url))
            try await browser.wait(for: "window.isDone")
            let seen = try await browser.run("return window.seen") as? [String]
            #expect(seen == ["refused TypeError"])
            let client = JSONClient(base: url)
            let (missing, _) = try Curl.exchange(["\(url)\(Self.session)"])
            #expect(missing.statusCode == 404)
            _ = try await client.exchange("PUT", "/counter/sessions/own")
            try await browser.run(watch(url, "own"))
            try await browser.wait(for: "window.events.length > 0")
            let events = try await browser.run("return window.events") as? [String]
            #expect(events == ["error 2"])
        }
    }

    /// A server that signs in by a route and knows its visitors by the cookie.
    private func withSignIn(
        _ cors: CORS, _ body: @Sendable (_ url: String) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.cors = cors
        configuration.authorize = { request in
            request.cookie == "who=alice"
                ? .granted(Principal("alice", roles: ["act", "observe"])) : .unauthenticated
        }
        try await TestServer.run(
            configuration,
            serving: {
                Route(.post, "/sign-in", access: .open) { _ in
                    let cookie = "who=alice; HttpOnly; SameSite=Lax; Path=/"
                    return RouteResponse(.noContent, headerFields: [.setCookie: cookie])
                }
                Route(.post, "/who") { request in
                    try .json(["name": request.principal?.id ?? ""])
                }
            }
        ) { server in
            try await body("http://localhost:\(server.port)")
        }
    }

    private func signIn(_ url: String, credentials: String) -> String {
        """
        window.seen = [];
        window.isDone = false;
        const options = {
          method: 'POST', credentials: '\(credentials)', body: '{}',
          headers: { 'Content-Type': 'application/json' },
        };
        (async () => {
          try {
            window.seen.push((await fetch('\(url)/sign-in', options)).status);
            const answer = await fetch('\(url)/who', options);
            window.seen.push(answer.status, (await answer.json()).name ?? '');
          } catch (error) {
            window.seen.push(error.name);
          }
          window.isDone = true;
        })();
        """
    }

    @Test(arguments: [
        (true, "include", "[204,200,\"alice\"]"), (true, "omit", "[204,401,\"\"]"),
        (false, "include", "[\"TypeError\"]"), (false, "omit", "[204,401,\"\"]"),
    ])
    func `is signed in by a route's cookie only where credentials are allowed`(
        allowsCredentials: Bool, credentials: String, expected: String
    ) async throws {
        // Another origin of the same site: whether browsers keep cookies of other sites is theirs.
        let page = try StatecastServer()
        let origin = "http://localhost:\(page.port)"
        let cors = CORS(
            origins: [origin], allowsCredentials: allowsCredentials)
        try await withSignIn(cors) { url in
            let browser = try await Browser.take()
            try await browser.open("\(origin)/livez")
            try await browser.run(signIn(url, credentials: credentials))
            try await browser.wait(for: "window.isDone")
            let seen = try await browser.run("return JSON.stringify(window.seen)") as? String
            #expect(seen == expected)
            try await browser.quit()
        }
    }
}
