import Foundation
import Testing

extension `The Rides page` {
    /// Work that somebody who is signed in may leave under way.
    enum Waiting: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case locate, places, options, order

        var testDescription: String { "while the work \(rawValue) is under way" }

        /// The call to the outside API that it waits for.
        var path: String {
            switch self {
            case .locate: "/location"
            case .places: "/places"
            case .options: "/ride-options"
            case .order: "/rides"
            }
        }

        /// From the welcome page to the screen that waits.
        func begin(_ page: RidesPage) async throws {
            switch self {
            case .locate:
                try await page.signIn()
                try await page.wait(for: "locating")
            case .places:
                try await page.reachMap()
                try await page.click("where-to")
                try await page.wait(for: "dropoff")
            case .options:
                try await page.reachDropoff()
                try await page.click("place")
                try await page.wait(for: "option")
            case .order:
                try await page.reachConfirmation()
                try await page.click("confirm")
                try await page.wait(for: "sending")
            }
        }
    }

    @Test(arguments: Waiting.allCases)
    func `signs out whatever is under way, and that is cancelled`(
        waiting: Waiting
    ) async throws {
        let page = try await RidesPage.opened(isAlone: waiting == .options)
        try await page.stage.hold(waiting.path)
        try await waiting.begin(page)
        #expect(try await page.stage.work(of: page.session) == [waiting.rawValue])
        try await page.signOut()
        #expect(try await page.stage.work(of: page.session) == [])
        try await page.reachMap()
    }

    @Test func `signs out while the confirmation is shown`() async throws {
        let page = try await RidesPage.opened()
        try await page.stage.hold("/rides", milliseconds: 1_500)
        try await page.reachConfirmation()
        try await page.click("confirm")
        try await page.click("profile-button")
        try await page.waitFor("sign-out")
        try await page.clickAtOnce("sign-out", on: "final")
        try await page.wait(for: "welcome")
        #expect(try await page.stage.work(of: page.session) == [])
    }

    @Test(arguments: ["/login", "/sign-up"])
    func `goes back from a form that waits, and nobody is signed in`(path: String) async throws {
        let page = try await RidesPage.opened()
        try await page.stage.hold(path)
        if path == "/login" {
            try await page.signIn()
        } else {
            try await page.click("welcome-sign-up")
            try await page.submitSignUp(email: "\(page.session)@example.com")
        }
        try await page.browser.wait(
            for: "document.querySelector('[data-testid=form]').ariaBusy === 'true'")
        try await page.click("go-back")
        try await page.wait(for: "welcome")
        #expect(try await page.stage.work(of: page.session) == [])
        try await page.reachMap()
    }
}
