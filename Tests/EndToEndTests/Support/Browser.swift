import Foundation
import Synchronization

/// Headless Chromium, driven over WebDriver (W3C Recommendation, 2018).
final class Browser: Sendable {
    private let driver: RunningProcess
    private let client: JSONClient
    private let session: String

    /// Those that a test has given back, for the next one.
    private static let idle = Mutex<[Browser]>([])

    /// A browser that no other test uses meanwhile, with one empty tab and without cookies.
    static func take(width: Int = 1200, height: Int = 900) async throws -> Browser {
        let browser =
            if let known = idle.withLock({ $0.popLast() }) { known } else {
                try await Browser()
            }
        try await browser.command("/window/rect", ["width": width, "height": height])
        return browser
    }

    private init() async throws {
        driver = try RunningProcess(
            URL(filePath: "/usr/bin/chromedriver"), ["--port=0", "--allowed-ips=127.0.0.1"])
        let port = try driver.firstLine { line in
            line.range(of: "started successfully on port ").flatMap {
                Int(line[$0.upperBound...].prefix { $0.isNumber })
            }
        }
        client = JSONClient(base: "http://127.0.0.1:\(port)")
        let options: [String: Any] = [
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--ignore-certificate-errors",
                // A map that moves takes two thirds of a page's processor time, and tells tests nothing.
                "--force-prefers-reduced-motion",
            ]
        ]
        let wanted: [String: Any] = [
            "goog:chromeOptions": options, "timeouts": ["script": 600_000],
        ]
        let capabilities = ["capabilities": ["alwaysMatch": wanted]]
        session = try await Self.makeSession(capabilities, client)
    }

    /// Starts the browser, once more where it ends while it starts.
    private static func makeSession(
        _ capabilities: [String: Any], _ client: JSONClient
    ) async throws -> String {
        var answer: [String: Any] = [:]
        for _ in 0..<2 {
            answer = try await client.send("POST", "/session", capabilities)
            let value = answer["value"] as? [String: Any]
            if let id = value?["sessionId"] as? String { return "/session/\(id)" }
            guard value?["error"] as? String == "session not created" else { break }
        }
        throw BrowserError(message: "no session: \(answer)")
    }

    /// Gives the browser back, as empty as a new one: each server has an origin of its own, and only
    /// cookies know no ports.
    func quit() async throws {
        for tab in try await tabs.dropFirst() {
            try await select(tab: tab)
            _ = try await client.send("DELETE", session + "/window", nil)
        }
        try await select(tab: try await tabs[0])
        try await open("about:blank")
        try await devTools("Network.clearBrowserCookies")
        _ = Self.endsWithTests
        Self.idle.withLock { $0.append(self) }
    }

    /// Sends a command of the Chrome DevTools protocol to the current tab.
    func devTools(_ name: String, _ parameters: [String: Any] = [:]) async throws {
        try await command("/goog/cdp/execute", ["cmd": name, "params": parameters])
    }

    /// The end of the tests closes those that are idle then.
    private static let endsWithTests: Void = {
        atexit {
            for browser in Browser.idle.withLock({ $0 }) { browser.end() }
        }
    }()

    /// One that a failed test has kept.
    deinit { end() }

    /// Ends the browser, which would outlive its driver.
    private func end() {
        // The text is read within the call.
        _ = unsafe system("curl -s -m 5 -o /dev/null -X DELETE \(client.base + session)")
        kill(driver.process.processIdentifier, SIGKILL)
    }

    func open(_ url: String) async throws {
        try await command("/url", ["url": url])
    }

    /// Opens one more tab and makes it the current one.
    ///
    /// - Returns: the handle to come back to it.
    func openTab(_ url: String) async throws -> String {
        let made = try await command("/window/new", ["type": "tab"])
        guard let tab = (made as? [String: Any])?["handle"] as? String
        else { throw BrowserError(message: "no tab: \(String(describing: made))") }
        try await select(tab: tab)
        try await open(url)
        return tab
    }

    var currentTab: String {
        get async throws {
            let answer = try await client.send("GET", session + "/window", nil)
            return answer["value"] as? String ?? ""
        }
    }

    /// The handles of all tabs.
    var tabs: [String] {
        get async throws {
            let answer = try await client.send("GET", session + "/window/handles", nil)
            return answer["value"] as? [String] ?? []
        }
    }

    func select(tab: String) async throws {
        try await command("/window", ["handle": tab])
    }

    /// Loads the current tab's page again.
    func reload() async throws {
        try await command("/refresh", [:])
    }

    /// Closes a tab and comes back to another.
    func close(tab: String, backTo other: String) async throws {
        try await select(tab: tab)
        _ = try await client.send("DELETE", session + "/window", nil)
        try await select(tab: other)
    }

    /// Runs a script in the page, with its result.
    @discardableResult
    func run(_ script: String, _ arguments: [Any] = []) async throws -> Any? {
        try await command("/execute/sync", ["script": script, "args": arguments])
    }

    /// Waits, inside the page, until an expression is true.
    ///
    /// - Throws: `BrowserError` with the page's text after `seconds`.
    func wait(for expression: String, seconds: Int = 20) async throws {
        try await value(of: expression, seconds: seconds)
    }

    /// What an expression in the page is once it is true, looked at every 20 milliseconds.
    ///
    /// - Throws: `BrowserError` with the page's text after `seconds`.
    @discardableResult
    private func value(of expression: String, seconds: Int = 20) async throws -> Any? {
        let script = """
            const done = arguments[arguments.length - 1];
            const until = performance.now() + \(seconds * 1000);
            (function look() {
              let value = null;
              try { value = \(expression); } catch {}
              if (value) return done([value instanceof Element ? value : null]);
              if (performance.now() > until) return done(document.body.innerText || "(empty)");
              setTimeout(look, 20);
            })();
            """
        let answer = try await command("/execute/async", ["script": script, "args": []])
        if let text = answer as? String {
            throw BrowserError(message: "never true: \(expression)\npage: \(text)")
        }
        return (answer as? [Any])?.first
    }

    func waitForText(_ text: String) async throws {
        try await wait(for: "document.body.innerText.includes(\(Self.quoted(text)))")
    }

    func click(_ selector: String) async throws {
        try await command(on: selector, "click", [:])
    }

    func type(_ text: String, into selector: String) async throws {
        try await command(on: selector, "value", ["text": text])
    }

    /// Does something to an element. Where the page has put a new one in its place after it was
    /// found, nothing was done, and the new one is found.
    private func command(
        on selector: String, _ name: String, _ body: [String: Any]
    ) async throws {
        for _ in 0..<5 {
            do {
                try await command("/element/\(try await element(selector))/\(name)", body)
                return
            } catch let error as BrowserError where error.isStale {
                continue
            }
        }
        throw BrowserError(message: "always stale: \(selector)")
    }

    /// Empties a field by the keyboard, so that the page hears of it.
    func clear(_ selector: String) async throws {
        let (control, release, backspace) = ("\u{E009}", "\u{E000}", "\u{E003}")
        try await type(control + "a" + release + backspace, into: selector)
    }

    /// The element, once it is there.
    private func element(_ selector: String) async throws -> String {
        let found = try await value(of: "document.querySelector(\(Self.quoted(selector)))")
        guard let id = (found as? [String: Any])?.values.first as? String
        else { throw BrowserError(message: "no element \(selector)") }
        return id
    }

    @discardableResult
    private func command(_ path: String, _ body: [String: Any]) async throws -> Any? {
        let answer = try await client.send("POST", session + path, body)
        if let value = answer["value"] as? [String: Any], let error = value["error"] as? String {
            throw BrowserError(message: "\(path): \(error): \(value["message"] ?? "")")
        }
        if answer.isEmpty { throw BrowserError(message: "\(path): no answer of the driver") }
        return answer["value"]
    }

    static func quoted(_ text: String) -> String {
        let data = try? JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}

struct BrowserError: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
    /// The element that was found is no longer in the page.
    var isStale: Bool { message.contains("stale element reference") }
}
