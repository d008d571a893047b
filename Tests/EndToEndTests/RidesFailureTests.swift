import Foundation
import Testing

extension `The Rides page` {
    /// A call to the outside API that fails while somebody orders a ride, and what follows.
    enum Failing: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case location, places, options, rides

        var testDescription: String { "the call for \(rawValue)" }
        var path: String { self == .options ? "/ride-options" : "/\(rawValue)" }
        var title: String {
            switch self {
            case .location: "No location"
            case .places: "Search failed"
            case .options: "No options"
            case .rides: "Not ordered"
            }
        }

        /// From the welcome page to right after the call.
        func provoke(_ page: RidesPage) async throws {
            switch self {
            case .location:
                try await page.signIn()
            case .places:
                try await page.reachMap()
                try await page.click("where-to")
            case .options:
                try await page.reachDropoff()
                try await page.click("place")
            case .rides:
                try await page.reachConfirmation()
                try await page.click("confirm")
            }
        }

        /// What the page offers after the acknowledgement, up to the call's success.
        func recover(_ page: RidesPage) async throws {
            switch self {
            case .location:
                try await page.wait(for: "whereTo")
            case .places:
                try await page.waitFor("no-places")
                try await page.type("pier", into: "query")
                try await page.waitFor("place")
            case .options:
                try await page.click("retry-options")
                try await page.waitFor("option")
            case .rides:
                try await page.click("confirm")
                try await page.wait(for: "final")
            }
        }
    }

    @Test(arguments: Failing.allCases)
    func `shows an error until it is acknowledged, and goes on`(failing: Failing) async throws {
        let page = try await RidesPage.opened(isAlone: failing == .options)
        try await page.stage.fail(failing.path)
        try await failing.provoke(page)
        try await page.acknowledge(failing.title)
        try await page.waitForNo("fault")
        try await failing.recover(page)
    }

    @Test(arguments: [Failing.places, .options])
    func `tries again from the error`(failing: Failing) async throws {
        let page = try await RidesPage.opened(isAlone: failing == .options)
        try await page.stage.fail(failing.path)
        try await failing.provoke(page)
        try await page.retry(failing.title)
        try await page.waitForNo("fault")
        try await page.waitFor(failing == .places ? "place" : "option")
    }

    @Test func `keeps an error however often Escape is pressed, and names it`() async throws {
        let page = try await RidesPage.opened()
        try await page.stage.fail("/location")
        try await page.signIn()
        try await page.waitFor("fault")
        for _ in 0..<3 {
            try await page.type("\u{E00C}", into: "acknowledge")
            // Where the browser closes it all the same, the page opens it again.
            try await page.browser.wait(for: Self.isNamed("No location"))
        }
        try await page.click("acknowledge")
        try await page.wait(for: "whereTo")
        try await page.click("profile-button")
        try await page.type("\u{E00C}", into: "close-profile")
        try await page.waitForNo("profile")
    }

    private static func isNamed(_ name: String) -> String {
        "(fault => fault.open && fault.role === 'alertdialog' && document.getElementById("
            + "fault.getAttribute('aria-labelledby')).textContent === '\(name)')"
            + "(document.querySelector('[data-testid=fault]'))"
    }

    @Test(arguments: [(401, "wrong"), (503, "")])
    func `locks the form to sign in until the error is acknowledged`(
        status: Int, text: String
    ) async throws {
        let page = try await RidesPage.opened()
        if status == 503 { try await page.stage.fail("/login") }
        try await page.chooseSignIn()
        try await page.submitSignIn(password: status == 401 ? "guessed" : "open-sesame")
        try await page.browser.wait(for: "document.querySelector('[name=email]').disabled")
        try await page.browser.waitForText(text)
        try await page.acknowledge("Not signed in")
        try await page.waitForNo("fault")
        try await page.browser.wait(for: "!document.querySelector('[name=email]').disabled")
        try await page.browser.clear("[name=password]")
        try await page.type("open-sesame", into: "password")
        try await page.click("submit")
        try await page.wait(for: "whereTo")
    }

    @Test(arguments: [(409, "has an account already"), (503, "")])
    func `locks the form to sign up until the error is acknowledged`(
        status: Int, text: String
    ) async throws {
        let page = try await RidesPage.opened()
        if status == 503 { try await page.stage.fail("/sign-up") }
        try await page.click("welcome-sign-up")
        let own = "\(page.session)@example.com"
        try await page.submitSignUp(email: status == 409 ? "rosa@example.com" : own)
        try await page.browser.waitForText(text)
        try await page.acknowledge("Not signed in")
        try await page.browser.wait(for: "!document.querySelector('[name=email]').disabled")
        try await page.browser.clear("[name=email]")
        try await page.type(own, into: "email")
        try await page.click("submit")
        try await page.wait(for: "whereTo")
    }
}
