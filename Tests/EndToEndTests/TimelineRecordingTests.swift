import Foundation
import Testing

@Suite(.serialized) struct `A recording in the Timeline page` {
    /// A recording whose every entry changes one of 100 numbers and counts itself.
    private static func recording(_ entryCount: Int) -> String {
        let numbers = Array(repeating: "0", count: 100).joined(separator: ",")
        var lines = [
            #"{"application":"/counter","schema":1,"epoch":"e","start":"2026-11-23T08:00:00.000Z","#
                + #""version":0,"state":{"count":0,"numbers":[\#(numbers)]}}"#
        ]
        for version in 1...entryCount {
            lines.append(
                #"{"version":\#(version),"at":\#(version * 60),"origin":"client","#
                    + #""action":{"type":"counted","payload":\#(version)},"#
                    + #""patch":[{"op":"replace","path":"/count","value":\#(version)},"#
                    + #"{"op":"replace","path":"/numbers/\#(version % 100)","value":\#(version)}]}"#
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test func `of 10,000 entries opens at once, with few rows in the page`() async throws {
        try await TimelinePage.with { page in
            try await page.browser.open("\(page.client.base)/inspect/timeline/")
            try await page.openFile(Self.recording(10_000))
            #expect(try await page.text("gap", of: 10_000) == "+60 ms")
            let rows = "document.querySelectorAll('[data-testid=entry]').length"
            for place in ["0", "scrollHeight / 2", "scrollHeight"] {
                try await page.browser.run(
                    """
                    const list = document.querySelector('[data-testid=entries]');
                    list.scrollTop = \(place == "0" ? place : "list.\(place)");
                    """)
                try await page.browser.wait(for: "\(rows) > 10")
                let count = try await page.browser.run("return \(rows)") as? Int
                #expect(try #require(count) < 100)
            }
            #expect(
                try #require(
                    try await page.browser.run("return document.querySelectorAll('*').length")
                        as? Int) < 2_500)

            try await page.browser.type("5000", into: "[data-testid=filter]")
            try await page.choose(5_000)
            let state = "[data-testid=state] [data-path="
            #expect(try await page.text(state + "'/count']") == "count5000changed")
            #expect(try await page.text(state + "'/numbers/0']") == "05000changed")
            #expect(try await page.text(state + "'/numbers/1']") == "14901")
        }
    }

    @Test func `that is damaged is refused with the number of the line`() async throws {
        try await TimelinePage.with { page in
            let lines = Self.recording(60).split(separator: "\n").map(String.init)
            let cases = [
                (lines[..<40] + ["{\"version\":"], "Line 41: this is no JSON"),
                (lines[..<40] + lines[41...], "Line 41: version 41 stands where version 40 is"),
                (["{}"] + lines[1...], "Line 1: A recording begins with a version and its state."),
            ]
            for (damaged, sentence) in cases {
                try await page.browser.open("\(page.client.base)/inspect/timeline/")
                try await page.openFile(damaged.joined(separator: "\n"))
                let text = try await page.text("[data-testid=open-fault]") ?? ""
                #expect(text.contains(sentence), "\(text)")
            }
            let unfit = lines.map { $0.replacing("/numbers/30\"", with: "/numbers/130\"") }
            try await page.openFile(unfit.joined(separator: "\n"))
            try await page.browser.wait(
                for: "document.querySelector('[data-testid=detail-fault]')")
            let text = try await page.text("[data-testid=detail-fault]") ?? ""
            #expect(text.hasPrefix("Line 31: the patch of version 30 does not fit"), "\(text)")
        }
    }

    /// Operations on `{"list":[1,2,3],"other":{"a":1,"b":2}}`, and what they mark.
    private static let edits = [
        ("add('/list/0', 9), replace('/list/3', 4)", "/list/0 added, /list/3 changed"),
        ("replace('/list/2', 4), add('/list/0', 9)", "/list/3 changed, /list/0 added"),
        ("replace('/list/2', 4), remove('/list/0')", "/list reduced, /list/1 changed"),
        ("replace('', { list: [1, 2, 3], other: { a: 1, b: 3 } })", "/other/b changed"),
        ("replace('/other', { a: 1 })", "/other reduced"),
        ("add('/new', 1), remove('/new')", " reduced"),
    ]

    @Test func `marks each member where it stands behind the patch`() async throws {
        try await TimelinePage.with { page in
            try await page.browser.open("\(page.client.base)/livez")
            for (operations, marks) in Self.edits {
                let found = try await page.browser.run(
                    """
                    const add = (path, value) => ({ op: 'add', path, value });
                    const replace = (path, value) => ({ op: 'replace', path, value });
                    const remove = path => ({ op: 'remove', path });
                    const operations = [\(operations)];
                    return import('/inspect/timeline/changes.js').then(({ changesOf }) => {
                      const before = { list: [1, 2, 3], other: { a: 1, b: 2 } };
                      const found = [];
                      const collect = (mark, path) => {
                        if (mark.kind) found.push(`${path} ${mark.kind}`);
                        mark.children.forEach((child, name) => collect(child, `${path}/${name}`));
                      };
                      collect(changesOf(before, operations).mark, '');
                      return found.join(', ');
                    });
                    """)
                #expect(found as? String == marks, "\(operations)")
            }
        }
    }
}
