import Foundation
import Testing

extension `The Rides page` {
    @Test func `mirrors two tabs, and either acts`() async throws {
        let page = try await RidesPage.opened(isAlone: true)
        let first = try await page.browser.currentTab
        let second = try await page.browser.openTab(page.address)
        try await page.wait(for: "welcome")
        try await page.browser.select(tab: first)
        try await page.reachDropoff()

        try await page.browser.select(tab: second)
        try await page.waitFor("place")
        try await page.type("pier", into: "query")
        try await page.browser.select(tab: first)
        try await page.browser.wait(
            for: "document.querySelector('[data-testid=query]').value === 'pier'")
        try await page.browser.wait(
            for: "document.querySelectorAll('[data-testid=place]').length === 1")
        try await page.stage.fail("/ride-options")
        try await page.click("place")

        try await page.browser.select(tab: second)
        try await page.acknowledge("No options")
        try await page.browser.select(tab: first)
        try await page.waitFor("no-options")
        try await page.waitForNo("fault")
        try await page.click("profile-button")

        try await page.browser.select(tab: second)
        try await page.click("sign-out")
        try await page.browser.select(tab: first)
        try await page.wait(for: "welcome")
        try await page.waitForNo("profile")
        try await page.browser.close(tab: second, backTo: first)
    }

    @Test func `shows the same after a reload in the middle of a ride`() async throws {
        let page = try await RidesPage.opened()
        try await page.reachConfirmation()
        let version = try await page.version
        try await page.browser.reload()
        try await page.waitFor("confirm")
        try await page.waitFor("pin-dropoff")
        #expect(try await page.version == version)
    }
}

extension RidesPage {
    /// The version that the page shows.
    var version: String? {
        get async throws {
            try await browser.run(
                "return document.querySelector('[data-testid=connection]').dataset.version")
                as? String
        }
    }
}
