import Foundation
import Testing

@Suite(.serialized) struct `The compressed event stream` {
    private static let session = "/counter/sessions/packed"

    @Test func `is shown by curl event by event`() async throws {
        let server = try StatecastServer()
        _ = try await server.client.exchange("PUT", Self.session)
        let url = "\(server.base)\(Self.session)/events?compression=gzip"
        let curl = try CurlStream(url, ["--compressed", "-i"])
        let coding = try curl.line { line in
            line.lowercased().hasPrefix("content-encoding:") ? line : nil
        }
        #expect(coding.lowercased().contains("gzip"))
        for count in 0..<5 {
            _ = try curl.state { $0["count"] as? Int == count }
            try await server.client.dispatch(Self.session, "incremented", ["by": 1])
        }
    }

    @Test func `ends whole for curl when the server shuts down`() async throws {
        let server = try StatecastServer()
        _ = try await server.client.exchange("PUT", Self.session)
        let url = "\(server.base)\(Self.session)/events?compression=gzip"
        let curl = try RunningProcess(
            URL(filePath: "/usr/bin/curl"), ["-sN", "--compressed", "--max-time", "60", url])
        _ = try curl.firstLine { $0.hasPrefix("data: ") ? $0 : nil }
        #expect(server.running.terminate() == 0)
        curl.process.waitUntilExit()
        #expect(curl.process.terminationStatus == 0)
    }

    @Test func `is dispatched by a browser event by event`() async throws {
        let server = try StatecastServer()
        _ = try await server.client.exchange("PUT", Self.session)
        let browser = try await Browser.take()
        try await browser.open("\(server.base)/livez")
        let script = """
            window.counts = [];
            window.ids = [];
            const stream = new EventSource('\(Self.session)/events?compression=gzip');
            stream.onmessage = event => {
              window.counts.push(JSON.parse(event.data).count);
              window.ids.push(event.lastEventId);
            };
            """
        try await browser.run(script)
        for count in 0..<5 {
            try await browser.wait(for: "window.counts.at(-1) === \(count)")
            try await server.client.dispatch(Self.session, "incremented", ["by": 1])
        }
        let coding = try await browser.run(
            """
            return fetch('\(Self.session)/events?compression=gzip')
              .then(answer => answer.headers.get('content-encoding'));
            """)
        #expect(coding as? String == "gzip")
        try await browser.quit()
    }
}
