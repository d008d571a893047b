import Foundation
import Testing

@Suite(.serialized) struct `The Timeline page` {
    @Test func `shows who sent what, what caused it, and the time between`() async throws {
        try await TimelinePage.with { page in
            let path = "/rides/sessions/timeline"
            try await page.makeSession(path)
            try await page.browser.open("\(page.client.base)/rides/?session=timeline")
            try await page.browser.wait(
                for: "document.querySelector('[data-testid=welcome-sign-in]')")
            let signIn = ["email": "rosa@example.com", "password": "open-sesame"]
            try await page.client.dispatch(path, "welcome/signInChosen")
            _ = try await page.client.exchange(
                "POST", path + "/actions?settle=10",
                ["type": "signIn/submitted", "payload": signIn])
            try await page.browser.open("\(page.client.base)/inspect/timeline/?session=\(path)")
            let row = "[...document.querySelectorAll('[data-testid=entry]')]"
            try await page.browser.wait(
                for: "window.answered ="
                    + " \(row).find(it => it.textContent.includes('signIn/answered'))"
            )
            let answered = try #require(
                try await page.browser.run("return Number(answered.dataset.version)") as? Int)
            let submitted = answered - 1
            #expect(try await page.text("who", of: submitted) == "Client")
            let what = try await page.text("what", of: submitted)
            #expect(what?.hasPrefix("signIn/submitted{email: ") == true)
            #expect(try await page.text("who", of: answered) == "Effect")
            #expect(try await page.text("cause", of: answered) == "↑ \(submitted)")
            let gap = try #require(try await page.text("gap", of: answered))
            #expect(gap.wholeMatch(of: /\+[0-9.]+ (ms|s)/) != nil, "\(gap)")
            #expect(try await page.text("size", of: answered)?.hasSuffix("B") == true)
            let text = try await page.browser.run("return document.body.innerText") as? String
            #expect(text?.contains("open-sesame") == false)

            try await page.browser.click("[data-cause='\(submitted)']")
            try await page.waitForState(at: submitted)
            #expect(
                try await page.text("[data-testid=link][data-to='\(answered)']") == "v\(answered)")
        }
    }

    @Test func `shows the state at a version, with what changed in it`() async throws {
        try await TimelinePage.with { page in
            let path = "/counter/sessions/versions"
            try await page.makeSession(path)
            for by in [5, 7, 11] {
                try await page.client.dispatch(path, "incremented", ["by": by])
            }
            try await page.open(path, showing: 3)
            try await page.choose(2)
            let count = "[data-testid=state] [data-path='/count']"
            #expect(try await page.text(count) == "count12changed")
            #expect(try await page.text("[data-testid=change]") == "~/count5 → 12")
            #expect(try await page.text("[data-testid=action] [data-path='/payload/by']") == "by7")

            try await page.browser.click("[data-testid=compare]")
            try await page.choose(3)
            #expect(try await page.text("[data-testid=difference]") == "count12 → 23")
            try await page.browser.wait(for: "location.search.endsWith('against=2')")
            try await page.browser.reload()
            let sides = "[...document.querySelectorAll('[data-testid=side] [data-path]')]"
            try await page.browser.wait(
                for: "\(sides).map(it => it.textContent).join() === 'count12changed,count23changed'"
            )
            try await page.browser.click("[data-testid=compare]")
            try await page.waitForNo("sides")

            try await page.browser.click("[data-testid=base]")
            try await page.waitForState(at: 0)
            #expect(try await page.text(count) == "count0")
            try await page.open(path, "&version=1", showing: 1)
            #expect(try await page.text(count) == "count5changed")
        }
    }

    @Test func `goes on with the session, and stays where one looks`() async throws {
        try await TimelinePage.with { page in
            let path = "/counter/sessions/live"
            try await page.makeSession(path)
            try await page.open(path, showing: 0)
            #expect(try await page.text("[data-testid=no-entries]") != nil)
            for _ in 1...80 { try await page.client.dispatch(path, "incremented", ["by": 1]) }
            try await page.waitForState(at: 80)
            try await page.client.dispatch(path, "incremented", ["by": 0])
            try await page.waitForState(at: 81)
            #expect(try await page.text("[data-testid=change]") == nil)

            try await page.browser.run(
                "document.querySelector('[data-testid=entries]').scrollTop = 0")
            try await page.browser.click("[data-testid=entry][data-version='3']")
            try await page.client.dispatch(path, "decremented", ["by": 1])
            try await page.browser.wait(for: "document.querySelector('[data-testid=news]')")
            #expect(try await page.text("[data-testid=news]") == "1 new ↓")
            #expect(try await page.text("size", of: 3) != nil)
            try await page.browser.click("[data-testid=news]")
            try await page.waitForState(at: 82)
        }
    }

    @Test func `finds entries by what they say and change, and is steered by the keyboard alone`()
        async throws
    {
        try await TimelinePage.with { page in
            let path = "/counter/sessions/keys"
            try await page.makeSession(path)
            for by in 1...60 { try await page.client.dispatch(path, "incremented", ["by": by]) }
            try await page.client.dispatch(path, "reset")
            try await page.open(path, showing: 61)
            let entries = "[data-testid=entries]"
            let (up, down, home, escape) = ("\u{E013}", "\u{E015}", "\u{E011}", "\u{E00C}")
            try await page.browser.type(up + up, into: entries)
            try await page.waitForState(at: 59)
            try await page.browser.type(home + down, into: entries)
            try await page.waitForState(at: 2)
            let active = "document.querySelector('\(entries)').ariaActiveDescendantElement.id"
            #expect(try await page.browser.run("return \(active)") as? String == "entry-2")

            try await page.browser.type("/", into: entries)
            try await page.browser.type("RESET", into: "[data-testid=filter]:focus")
            try await page.browser.wait(
                for: "document.querySelectorAll('[data-testid=entry]').length === 1")
            #expect(try await page.text("[data-testid=summary]")?.hasPrefix("1 of 61 ") == true)
            try await page.browser.type(escape, into: "[data-testid=filter]")
            // The count is in a patch alone.
            try await page.browser.type("1830", into: "[data-testid=filter]")
            try await page.browser.wait(
                for: "document.querySelector('[data-testid=entry]').dataset.version === '60'"
                    + " && document.querySelectorAll('[data-testid=entry]').length === 1")
            try await page.browser.type(escape, into: "[data-testid=filter]")
            try await page.browser.wait(
                for: "document.activeElement === document.querySelector('\(entries)')"
                    + " && document.querySelectorAll('[data-testid=entry]').length > 20")
        }
    }

    @Test func `says plainly where one may not look, and where nothing is`() async throws {
        try await TimelinePage.with { page in
            let cases = [
                ("/cards/lobby/sessions/lobby", "role inspect"),
                ("/counter/sessions/none", "No such session."),
                ("//elsewhere.example/sessions/a", "is no path of a session."),
            ]
            for (path, sentence) in cases {
                try await page.browser.open("\(page.client.base)/inspect/timeline/?session=\(path)")
                try await page.browser.wait(
                    for: "document.querySelector('[data-testid=open-fault]')")
                let text = try await page.text("[data-testid=open-fault]") ?? ""
                #expect(text.contains(sentence), "\(path): \(text)")
            }
        }
    }
}
