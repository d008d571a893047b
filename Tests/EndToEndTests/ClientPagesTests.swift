import Foundation
import Testing

/// Pages of the JavaScript client in Chromium, from a public directory of their own.
@Suite(.serialized) struct `A page of the JavaScript client` {
    private func withPages(
        _ body: (_ server: StatecastServer, _ browser: Browser) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "pages-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Self.writePages(to: folder)
        let server = try StatecastServer(["--public", folder.path])
        let browser = try await Browser.take()
        try await body(server, browser)
        try await browser.quit()
    }

    /// The files that the article shows, React as Debian packages it, and what the tests need besides.
    private static func writePages(to folder: URL) throws {
        let react = folder.appending(path: "react")
        try FileManager.default.createDirectory(at: react, withIntermediateDirectories: true)
        for name in ["react", "react-dom"] {
            let file = "\(name).production.min.js"
            try FileManager.default.copyItem(
                at: URL(filePath: "/usr/share/nodejs/\(name)/umd/\(file)"),
                to: react.appending(path: file))
        }
        let article = try String(
            contentsOf: Products.root.appending(
                path: "Sources/Statecast/Statecast.docc/The-JavaScript-client.md"),
            encoding: .utf8)
        let blocks = article.matches(
            of: /```(?:html|js)\n(?:<!-- |\/\/ )([a-z]+\.(?:html|js))(?: -->)?\n([^`]+)```/)
        #expect(blocks.map(\.1) == ["plain.html", "plain.js", "react.html", "react.js"])
        for block in blocks {
            try String(block.2).write(
                to: folder.appending(path: String(block.1)), atomically: true, encoding: .utf8)
        }
        try worker.write(
            to: folder.appending(path: "worker.js"), atomically: true, encoding: .utf8)
    }

    private static let worker = """
        import { openSession } from "/client/statecast.js";
        const session = await openSession("/counter", "worker", { identity: "everybody" });
        session.onState((state) => postMessage(state.count));
        onmessage = ({ data }) => session.dispatch({ type: "incremented", payload: { by: data } });
        """

    @Test(arguments: ["plain", "react"])
    func `runs as the article shows it, under the pages' own policy`(name: String) async throws {
        try await withPages { server, browser in
            try await browser.open("\(server.base)/\(name).html")
            try await browser.wait(for: Self.shows(0))
            try await browser.click("#add")
            try await browser.wait(for: Self.shows(1))
            let body: [String: Any] = ["type": "incremented", "payload": ["by": 2]]
            _ = try await server.client.exchange(
                "POST", "/counter/sessions/\(name)/actions", body)
            try await browser.wait(for: Self.shows(3))
            if name == "plain" {
                try await browser.wait(for: Self.note("A new counter."))
                try await browser.open("\(server.base)/\(name).html")
                return try await browser.wait(for: "\(Self.shows(3)) && \(Self.note(""))")
            }
            #expect(
                try await browser.run("return document.querySelector('#even').textContent")
                    as? String == "odd")
        }
    }

    private static func note(_ text: String) -> String {
        "document.querySelector('#note').textContent === '\(text)'"
    }

    private static func shows(_ count: Int) -> String {
        "document.querySelector('#count')?.textContent === '\(count)'"
    }

    @Test func `follows a session in a worker`() async throws {
        try await withPages { server, browser in
            try await browser.open("\(server.base)/plain.html")
            try await browser.run(
                """
                window.counts = [];
                window.worker = new Worker('/worker.js', { type: 'module' });
                worker.onmessage = ({ data }) => counts.push(data);
                """)
            try await browser.wait(for: "counts.join() === '0'")
            try await browser.run("worker.postMessage(5)")
            try await browser.wait(for: "counts.join() === '0,5'")
        }
    }

    @Test func `shows in all tabs a session that one of them has made again`() async throws {
        try await withPages { server, browser in
            let follow = """
                return import('/client/statecast.js').then(async (client) => {
                  window.client = client;
                  window.mirror = new client.Mirror('/counter', 'lost', { identity: 'ann' });
                });
                """
            let page = "\(server.base)/livez"
            try await browser.open(page)
            let first = try await browser.currentTab
            try await browser.run(follow)
            try await browser.wait(for: "mirror.status.phase === 'lost'")
            let second = try await browser.openTab(page)
            try await browser.run(follow)
            try await browser.wait(for: "mirror.status.phase === 'lost' && mirror.status.isShared")
            try await browser.run(
                "return client.createSession('/counter', 'lost').then(() => mirror.restart());")
            for tab in [second, first] {
                try await browser.select(tab: tab)
                try await browser.wait(for: "mirror.state?.count === 0")
            }
        }
    }

    /// The tab that has the connection is put to sleep, as browsers do with tabs in the background.
    @Test func `goes on while the tab that connects for all sleeps, and catches up when it wakes`()
        async throws
    {
        try await withPages { server, browser in
            let follow = """
                return import('/client/statecast.js').then(async ({ openSession }) => {
                  window.mirror = await openSession('/counter', 'tabs', { identity: 'ann' });
                  await new Promise((resolve) => mirror.onState(resolve));
                });
                """
            let page = "\(server.base)/livez"
            try await browser.open(page)
            let first = try await browser.currentTab
            try await browser.run(follow)
            var others: [String] = []
            // More than a browser has connections to a host.
            for _ in 0..<7 {
                others.append(try await browser.openTab(page))
                try await browser.run(follow)
                #expect(try await browser.run("return mirror.status.isShared") as? Bool == true)
            }
            try await browser.select(tab: first)
            try await browser.setLifecycle("frozen")
            try await browser.select(tab: others[0])
            try await browser.run(
                """
                return mirror.dispatch({ type: 'incremented', payload: { by: 3 } }).then(() => null);
                """)
            for tab in others.prefix(2) {
                try await browser.select(tab: tab)
                try await browser.wait(for: "mirror.state.count === 3")
            }
            try await browser.select(tab: first)
            try await browser.setLifecycle("active")
            try await browser.wait(for: "mirror.state.count === 3 && mirror.status.isShared")
        }
    }
}

extension Browser {
    /// Puts the current tab to sleep, or wakes it.
    fileprivate func setLifecycle(_ state: String) async throws {
        try await devTools("Page.setWebLifecycleState", ["state": state])
    }
}
