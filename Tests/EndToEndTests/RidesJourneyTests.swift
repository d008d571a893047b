import Foundation
import Testing

@Suite(.serialized, RidesStageTrait()) struct `The Rides page` {
    @Test func `signs up, orders a ride, shows the profile and signs out`() async throws {
        let page = try await RidesPage.opened()
        try await page.wait(for: "welcome")
        try await page.click("welcome-sign-up")
        try await page.wait(for: "signUp")
        try await page.click("go-back")
        try await page.wait(for: "welcome")
        try await page.click("welcome-sign-up")
        try await page.click("submit")
        try await page.waitFor("fault-fullName")
        try await page.submitSignUp(email: "\(page.session)@example.com")
        try await page.wait(for: "whereTo")
        try await page.waitFor("pin-pickup")

        try await page.click("where-to")
        try await page.browser.wait(
            for: "document.querySelectorAll('[data-testid=place]').length >= 8")
        try await page.type("ropewalk", into: "query")
        try await page.browser.wait(for: Self.placesAre("lantern-market", "ropewalk-theatre"))
        try await page.browser.click("[data-testid=place][data-id=ropewalk-theatre]")
        try await page.browser.wait(
            for: "document.querySelectorAll('[data-testid=option]').length === 3")
        try await page.waitFor("pin-dropoff")
        try await page.browser.wait(for: Self.isPressed("tandem"))
        try await page.waitForNo("confirm")

        try await page.browser.click("[data-testid=option][data-id=pebble]")
        try await page.browser.wait(for: Self.isPressed("pebble"))
        try await page.click("confirm")
        try await page.wait(for: "final")
        try await page.wait(for: "waiting")
        try await page.click("again")
        try await page.wait(for: "whereTo")

        try await page.click("profile-button")
        try await page.browser.wait(
            for: "document.querySelector('[data-testid=profile-name]').textContent"
                + " === 'Ada Brook'")
        try await page.click("close-profile")
        try await page.waitForNo("profile")
        try await page.signOut()
        #expect(try await page.stage.work(of: page.session) == [])
    }

    @Test func `signs in, ends the confirmation early, and cancels a destination`() async throws {
        let page = try await RidesPage.opened()
        try await page.signIn()
        try await page.click("where-to")
        try await page.waitFor("place")
        try await page.click("cancel")
        try await page.wait(for: "whereTo")
        try await page.click("where-to")
        try await page.type("no such place", into: "query")
        try await page.waitFor("no-places")
        try await page.browser.clear("[data-testid=query]")
        try await page.waitFor("place")
        try await page.click("place")
        try await page.click("cancel")
        try await page.wait(for: "whereTo")
        try await page.waitForNo("pin-dropoff")
        try await page.click("where-to")
        try await page.click("place")
        try await page.click("option")
        try await page.click("confirm")
        try await page.clickAtOnce("finish", on: "final")
        try await page.wait(for: "waiting")
    }

    private static func isPressed(_ option: String) -> String {
        "[...document.querySelectorAll('[data-testid=option][aria-pressed=true]')]"
            + ".map(it => it.dataset.id).join() === '\(option)'"
    }

    private static func placesAre(_ ids: String...) -> String {
        "[...document.querySelectorAll('[data-testid=place]')].map(it => it.dataset.id).join()"
            + " === '\(ids.joined(separator: ","))'"
    }
}
