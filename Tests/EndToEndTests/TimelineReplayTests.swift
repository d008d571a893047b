import Foundation
import Testing

@Suite(.serialized) struct `A replay in the Timeline page` {
    private static let progress = "document.querySelector('[data-testid=player]').dataset"

    private static func click(_ id: String, in page: TimelinePage) async throws {
        try await page.browser.click("[data-testid=\(id)]")
    }

    /// Plays what the page shows, step by step.
    private static func playBySteps(_ page: TimelinePage) async throws {
        try await click("play-recording", in: page)
        try await page.browser.run(
            """
            const select = document.querySelector('[data-testid=play-mode]');
            select.value = 'step';
            select.dispatchEvent(new Event('change'));
            """)
        try await click("play-start", in: page)
        try await page.browser.wait(for: "\(progress).mode === 'step'")
    }

    @Test func `of a session goes by steps, to a version, and on by itself`() async throws {
        try await TimelinePage.with { page in
            let path = "/counter/sessions/recorded"
            try await page.makeSession(path)
            for by in 1...6 { try await page.client.dispatch(path, "incremented", ["by": by]) }
            try await page.open(path, showing: 6)
            try await Self.playBySteps(page)
            try await page.waitForState(at: 0)
            try await Self.click("step", in: page)
            try await page.waitForState(at: 1)
            #expect(try await page.text("[data-testid=progress]")?.hasPrefix("1 of 6") == true)

            try await page.browser.run(
                """
                const scrubber = document.querySelector('[data-testid=scrubber]');
                scrubber.value = 4;
                scrubber.dispatchEvent(new Event('change'));
                """)
            try await page.waitForState(at: 4)
            let count = "[data-testid=state] [data-path='/count']"
            #expect(try await page.text(count) == "count10changed")
            try await Self.click("play", in: page)
            try await page.browser.wait(for: "\(Self.progress).ended === 'true'")
            try await page.waitForState(at: 6)
            #expect(try await page.text(count) == "count21changed")

            let state = try await page.client.send("GET", path + "/state", nil)
            #expect(state["count"] as? Int == 21)
            let description = try await page.client.send("GET", path, nil)
            #expect(description["version"] as? Int == 6)
        }
    }

    @Test func `of a file plays in the application that it is of`() async throws {
        try await TimelinePage.with { page in
            let path = "/counter/sessions/saved"
            try await page.makeSession(path)
            for by in 1...3 { try await page.client.dispatch(path, "incremented", ["by": by]) }
            try await page.open(path, showing: 3)
            try await page.browser.run(
                """
                const { createObjectURL } = URL;
                URL.createObjectURL = (blob) => {
                  blob.text().then((text) => { window.saved = text; });
                  return createObjectURL(blob);
                };
                """)
            try await Self.click("record", in: page)
            try await page.browser.wait(for: "window.saved")
            let saved = try #require(try await page.browser.run("return saved") as? String)
            let (_, recording) = try await page.client.exchange("GET", path + "/recording")
            #expect(saved == String(decoding: recording, as: UTF8.self))
            try await page.browser.open("\(page.client.base)/inspect/timeline/")
            try await page.openFile(saved)
            #expect(try await page.text("[data-testid=summary]")?.hasPrefix("3 entries") == true)
            try await Self.playBySteps(page)
            let address = try await page.browser.run("return location.search") as? String
            #expect(address?.hasPrefix("?session=/counter/sessions/") == true)
            try await page.browser.run(
                """
                const speed = document.querySelector('[data-testid=speed]');
                speed.value = 'instant';
                speed.dispatchEvent(new Event('change'));
                """)
            try await page.waitForState(at: 3)
            try await page.browser.wait(for: "\(Self.progress).ended === 'true'")
        }
    }

    @Test func `tells what would have been if an action had been another one`() async throws {
        try await TimelinePage.with { page in
            let path = "/counter/sessions/edited"
            try await page.makeSession(path)
            for by in [5, 7, 1, Int.max - 100] {
                try await page.client.dispatch(path, "incremented", ["by": by])
            }
            try await page.client.dispatch(path, "reset")
            try await page.client.dispatch(path, "incremented", ["by": 2])
            try await page.open(path, showing: 6)
            try await page.choose(4)
            try await Self.click("what-if", in: page)
            let action = "document.querySelector('[data-testid=play-action]')"
            try await page.browser.wait(for: "\(action).value.includes('\(Int.max - 100)')")
            // Who has gone hears of it no more.
            try await page.browser.run(
                "window.answer = fetch; window.fetch = () => new Promise(() => {})")
            try await Self.click("play-start", in: page)
            try await page.browser.wait(
                for: "document.querySelector('[data-testid=play-start]').disabled")
            try await Self.click("play-cancel", in: page)
            try await page.browser.wait(for: "!\(action)")
            try await page.browser.run("window.fetch = answer")
            try await page.choose(2)
            func edit(_ text: String) async throws {
                try await page.browser.clear("[data-testid=play-action]")
                try await page.browser.type(text, into: "[data-testid=play-action]")
                try await Self.click("play-start", in: page)
            }
            try await Self.click("what-if", in: page)
            try await edit("{")
            try await page.browser.wait(
                for: "document.querySelector('[data-testid=play-fault]')?.textContent"
                    + ".startsWith('This is no JSON')")
            try await edit(#"{"type":"incremented","payload":{"by":700}}"#)

            try await page.browser.wait(for: "location.search.includes('beside=\(path)')")
            try await page.browser.wait(
                for: "document.querySelector('[data-testid=comparison] p')?.textContent"
                    + " === '3 of 6 entries are others than before; 1 refused.'")
            try await page.waitForState(at: 2)
            let sides = "[...document.querySelectorAll('[data-testid=side] [data-path]')]"
            try await page.browser.wait(
                for: "\(sides).map(it => it.textContent).join()"
                    + " === 'count12changed,count705changed'")
            #expect(try await page.mark == "edited")
            for mark in ["differs", "refused"] {
                try await page.browser.type("n", into: "[data-testid=entries]")
                try await page.browser.wait(
                    for: "document.querySelector('[data-testid=beside]').dataset.mark"
                        + " === '\(mark)'")
            }
            let description = try await page.client.send("GET", path, nil)
            #expect(description["version"] as? Int == 6)
        }
    }
}

extension TimelinePage {
    /// In what the chosen entry is another than before.
    fileprivate var mark: String? {
        get async throws {
            try await browser.run(
                "return document.querySelector('[data-testid=beside]')?.dataset.mark") as? String
        }
    }
}
