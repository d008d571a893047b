import Foundation
import FoundationNetworking
import Testing

/// What the tests of the Rides page share: one server with its mock upstream, and one browser.
struct RidesStage: Sendable {
    /// The stage of the suite that runs.
    @TaskLocal static var current: RidesStage?

    let server: StatecastServer
    let browser: Browser
    let upstream: JSONClient
    let client: JSONClient

    /// A server of its own, with this browser or one of its own.
    init(_ shared: Browser? = nil) async throws {
        server = try StatecastServer()
        browser = if let shared { shared } else { try await Browser.take() }
        guard let url = server.upstream else { throw BrowserError(message: "no mock upstream") }
        upstream = JSONClient(base: url.absoluteString)
        client = server.client
    }

    /// Makes the next `count` requests to a path of the outside API fail.
    func fail(_ path: String, status: Int = 503, count: Int = 1) async throws {
        try await provoke(["path": path, "status": status, "count": count])
    }

    /// Makes the next request to a path of the outside API wait, longer than any test if not told.
    func hold(_ path: String, milliseconds: Int = 600_000) async throws {
        try await provoke(["path": path, "delayMilliseconds": milliseconds])
    }

    private func provoke(_ rule: [String: Any]) async throws {
        let (response, _) = try await upstream.exchange("PUT", "/mock/failures", rule)
        #expect(response.statusCode == 204)
    }

    /// The names of the works that a session has going on, apart from forgetting who was signed in.
    func work(of session: String) async throws -> [String] {
        let description = try await client.send("GET", "/rides/sessions/\(session)", nil)
        let works = description["work"] as? [[String: Any]] ?? []
        return works.compactMap { $0["name"] as? String }.filter { $0 != "user-session" }
    }
}

/// Starts the server and the browser before the suite, and ends them after it.
struct RidesStageTrait: SuiteTrait, TestScoping {
    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let stage = try await RidesStage()
        try await RidesStage.$current.withValue(stage) { try await function() }
        try await stage.browser.quit()
        #expect(stage.server.running.terminate() == 0)
    }
}

/// A Rides page in a tab of the stage's browser, and what a person does there.
struct RidesPage {
    let stage: RidesStage
    let session: String
    /// Where the page is served, if not by the stage's server.
    let base: String?
    var browser: Browser { stage.browser }

    /// Opens a session of its own, as nobody who was here before.
    init(
        _ stage: RidesStage, session: String = UUID().uuidString, base: String? = nil
    ) async throws {
        self.stage = stage
        self.session = session
        self.base = base
        _ = try await stage.upstream.exchange("DELETE", "/mock/failures")
        _ = try await client.exchange("PUT", "/rides/sessions/\(session)")
        try await browser.open(address)
    }

    /// The stage of the suite, with a page of its own.
    ///
    /// - Parameter isAlone: its server is its own, and knows no ride options yet: they are kept by place.
    static func opened(isAlone: Bool = false) async throws -> RidesPage {
        let stage = try #require(RidesStage.current)
        return try await RidesPage(isAlone ? RidesStage(stage.browser) : stage)
    }

    var client: JSONClient { JSONClient(base: base ?? stage.client.base) }
    var address: String { "\(client.base)/rides/?session=\(session)" }

    /// The element that the page marks so for tests.
    static func marked(_ id: String) -> String { "[data-testid=\(id)]" }

    func click(_ id: String) async throws {
        try await browser.click(Self.marked(id))
    }

    /// Clicks, within the page itself, as soon as a screen is shown: for screens that do not stay.
    func clickAtOnce(_ id: String, on screen: String) async throws {
        try await browser.wait(
            for: "document.querySelector('[data-testid=panel][data-screen=\(screen)]') &&"
                + " (it => it && (it.click(), true))(document.querySelector('\(Self.marked(id))'))")
    }

    func type(_ text: String, into id: String) async throws {
        try await browser.type(text, into: Self.marked(id))
    }

    /// Waits until the panel of a screen is shown.
    func wait(for screen: String) async throws {
        try await browser.wait(
            for: "document.querySelector('[data-testid=panel][data-screen=\(screen)]')")
    }

    /// Waits until an element that is marked so is there.
    func waitFor(_ id: String) async throws {
        try await browser.wait(for: "document.querySelector('\(Self.marked(id))')")
    }

    /// Waits until no element is marked so, or a dialog of that mark is closed.
    func waitForNo(_ id: String) async throws {
        try await browser.wait(
            for: "![...document.querySelectorAll('\(Self.marked(id))')]"
                + ".some(it => it.localName !== 'dialog' || it.open)")
    }

    /// Waits until an error of that title is shown, and acknowledges it.
    func acknowledge(_ title: String) async throws {
        try await browser.wait(for: Self.isShown(title))
        try await click("acknowledge")
    }

    /// Waits until an error of that title is shown, and asks for another try.
    func retry(_ title: String) async throws {
        try await browser.wait(for: Self.isShown(title))
        try await click("retry")
    }

    private static func isShown(_ title: String) -> String {
        "document.querySelector('[data-testid=fault][open] h2')?.textContent"
            + " === \(Browser.quoted(title))"
    }
}

extension RidesPage {
    /// Fills the form to sign in and sends it.
    func submitSignIn(password: String = "open-sesame") async throws {
        try await type("rosa@example.com", into: "email")
        try await type(password, into: "password")
        try await click("submit")
    }

    /// From the welcome page to the form to sign in.
    func chooseSignIn() async throws {
        try await click("welcome-sign-in")
        try await wait(for: "signIn")
    }

    /// Fills the form to sign up and sends it.
    func submitSignUp(email: String) async throws {
        try await type("Ada Brook", into: "fullName")
        try await type("Ada", into: "nickname")
        try await type(email, into: "email")
        try await type("+46 70 555 02 02", into: "mobileNumber")
        try await type("rope-and-tar", into: "password")
        try await click("submit")
    }

    /// From the welcome page to being signed in, as a person does it.
    func signIn() async throws {
        try await chooseSignIn()
        try await submitSignIn()
    }

    /// From the welcome page to the map, as all that follows by requests: how a person gets there by the
    /// page is shown where a whole journey is.
    func reachMap() async throws {
        try await wait(for: "welcome")
        try await act("welcome/signInChosen")
        try await act(
            "signIn/submitted", ["email": "rosa@example.com", "password": "open-sesame"])
        try await wait(for: "whereTo")
    }

    /// From the welcome page to the picker of the destination, with results.
    func reachDropoff() async throws {
        try await reachMap()
        try await act("ride/destinationTapped")
        try await waitFor("place")
    }

    /// From the welcome page to the picker of the vehicle, with its options.
    func reachOptions() async throws {
        try await reachDropoff()
        try await act("dropoff/chosen", ["placeID": "lantern-market"])
        try await waitFor("option")
    }

    /// From the welcome page to the button that orders.
    func reachConfirmation() async throws {
        try await reachOptions()
        try await act("option/chosen", ["optionID": "tandem"])
        try await waitFor("confirm")
    }

    /// Sends an action, and waits for what it leads to.
    private func act(_ type: String, _ payload: [String: Any]? = nil) async throws {
        var action: [String: Any] = ["type": type]
        action["payload"] = payload
        let (answer, _) = try await client.exchange(
            "POST", "/rides/sessions/\(session)/actions?settle=10", action)
        #expect(answer.statusCode == 200, "\(type)")
    }

    /// From any screen of somebody who is signed in, through the profile.
    func signOut() async throws {
        try await click("profile-button")
        try await click("sign-out")
        try await wait(for: "welcome")
    }
}
