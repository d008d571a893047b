import Foundation
import FoundationNetworking
import Testing

extension `The Rides page` {
    /// `REPLAY_SECONDS=600` records ten minutes, and plays them for as long.
    private static var seconds: Int {
        Int(ProcessInfo.processInfo.environment["REPLAY_SECONDS"] ?? "") ?? 0
    }

    @Test func `is recorded, and plays to the same bytes in every way`() async throws {
        let page = try await RidesPage.opened(isAlone: true)
        let live = try await page.browser.currentTab
        let stage = page.stage
        let session = "/rides/sessions/\(page.session)"
        _ = try await stage.client.exchange("GET", session + "/log")
        try await page.reachDropoff()
        try await ride(page, until: .now.addingTimeInterval(Double(Self.seconds)))
        let (_, recording) = try await stage.client.exchange("GET", session + "/recording")
        let original = RecordedRide(recording)
        #expect(original.entryCount >= 10)
        #expect(original.duration >= Self.seconds * 990)
        let states = try await states(of: session, original, stage.client)
        let before = try await stage.client.exchange("GET", session + "/state")

        // Two ways take their time, side by side: a terminal watches each, a tab one.
        let slow = try await replay(recording, "1x", stage.client)
        let fast = try await replay(recording, "4x", stage.client)
        let seconds = Self.seconds + 60
        let terminals = try [slow, fast].map { path in
            try Terminal(stage.client.base + path + "/events?patch=json-patch", seconds * 2)
        }
        let tab = try await page.browser.openTab(
            "\(stage.client.base)/rides/?session=\(slow.split(separator: "/").last ?? "")")
        for (terminal, path) in zip(terminals, [slow, fast]) {
            #expect(try terminal.versions(through: original.last).last == original.last)
            try await expect(states, original, of: path, stage.client)
        }
        try await page.browser.wait(
            for: "document.querySelector('[data-testid=connection]').dataset.version"
                + " === '\(original.last)'", seconds: seconds)
        let shown = try await screen(of: page)
        try await page.browser.close(tab: tab, backTo: live)
        #expect(try await screen(of: page) == shown)

        let stepped = try await replay(recording, "step", stage.client)
        for version in original.first..<original.last {
            let (_, state) = try await stage.client.exchange("GET", stepped + "/state")
            #expect(state == states[version - original.first])
            _ = try await stage.client.exchange("POST", stepped + "/replay", ["steps": 1])
        }
        try await expect(states, original, of: stepped, stage.client)
        let instant = try await replay(recording, "instant", stage.client)
        try await expect(states, original, of: instant, stage.client)

        let after = try await stage.client.exchange("GET", session + "/state")
        #expect(after.1 == before.1)
        #expect(
            after.0.value(forHTTPHeaderField: "ETag") == before.0.value(forHTTPHeaderField: "ETag"))
    }

    /// Searches, looks at places and goes back, as a person would who takes some time.
    private func ride(_ page: RidesPage, until end: Date) async throws {
        let path = "/rides/sessions/\(page.session)"
        let queries = ["p", "pi", "pie", "pier", "", "m", "mu", "museum", "station", ""]
        var count = 0
        repeat {
            let query = queries[count % queries.count]
            try await page.stage.client.dispatch(path, "dropoff/queryEdited", ["text": query])
            try await page.browser.wait(
                for: "document.querySelector('[data-testid=query]').value === '\(query)'")
            count += 1
            // A person reads for a while: a poll that nothing ends early, most times.
            let (answer, _) = try await page.stage.client.exchange("GET", path + "/state")
            guard end > .now, let tag = answer.value(forHTTPHeaderField: "ETag") else { continue }
            _ = try await page.stage.client.exchange(
                "GET", path + "/state?wait=\(1 + count % 3)", fields: ["If-None-Match": tag])
        } while end > .now || count < queries.count
        let settled = try await page.stage.client.exchange(
            "POST", path + "/actions?settle=10",
            ["type": "dropoff/queryEdited", "payload": ["text": "harbour"]])
        #expect(settled.0.statusCode == 200)
    }

    private func replay(
        _ recording: Data, _ mode: String, _ client: JSONClient
    ) async throws -> String {
        let (answer, _) = try await client.exchange(
            "POST", "/rides/sessions?replay=\(mode)", recording, of: "application/x-ndjson")
        #expect(answer.statusCode == 201)
        return try #require(answer.value(forHTTPHeaderField: "Location"))
    }

    /// The bytes of the state at each version.
    private func states(
        of path: String, _ ride: RecordedRide, _ client: JSONClient
    ) async throws -> [Data] {
        var states: [Data] = []
        for version in ride.first...ride.last {
            let (answer, data) = try await client.exchange(
                "GET", "\(path)/state?version=\(version)")
            #expect(answer.statusCode == 200)
            states.append(data)
        }
        return states
    }

    private func expect(
        _ states: [Data], _ ride: RecordedRide, of path: String, _ client: JSONClient
    ) async throws {
        #expect(try await self.states(of: path, ride, client) == states)
        let (_, present) = try await client.exchange("GET", path + "/state")
        #expect(present == states.last)
    }

    /// The words that a page shows, without the line about its connection.
    private func screen(of page: RidesPage) async throws -> String? {
        try await page.browser.run(
            "return document.querySelector('[data-testid=panel]').innerText") as? String
    }
}

/// What a recording says of itself.
private struct RecordedRide {
    let first: Int
    let last: Int
    let entryCount: Int
    /// In milliseconds.
    let duration: Int

    init(_ data: Data) {
        let lines = data.split(separator: 0x0A).compactMap {
            try? JSONSerialization.jsonObject(with: $0) as? [String: Any]
        }
        first = lines.first?["version"] as? Int ?? -1
        last = lines.last?["version"] as? Int ?? -1
        entryCount = lines.count - 1
        duration = lines.last?["at"] as? Int ?? 0
    }
}

/// A person's `curl -N`, who calls it again from where it was: a stream ends after ten minutes, about.
private final class Terminal {
    private let url: String
    private let limit: [String]
    private var stream: CurlStream
    private var streamCount = 1

    init(_ url: String, _ seconds: Int) throws {
        self.url = url
        limit = ["--max-time", "\(seconds)"]
        stream = try CurlStream(url, limit)
    }

    /// The versions of the events that it shows, each behind the one before it.
    func versions(through last: Int) throws -> [Int] {
        var ids: [(text: String, version: Int)] = []
        while ids.last?.version != last {
            // A stream that was opened again begins with the event that it goes on from.
            guard let id = try nextID(after: ids.last?.text),
                streamCount == 1 || id != ids.last?.text
            else { continue }
            let version = try #require(id.split(separator: "-").last.flatMap { Int($0) })
            #expect(version > ids.last?.version ?? -1)
            ids.append((id, version))
        }
        return ids.map(\.version)
    }

    /// The id of the next event; nil where the stream has ended and was opened again.
    private func nextID(after last: String?) throws -> String? {
        do {
            return try stream.line { $0.hasPrefix("id: ") ? String($0.dropFirst(4)) : nil }
        } catch is ProcessEnded {
            let field = last.map { ["-H", "Last-Event-ID: \($0)"] } ?? []
            stream = try CurlStream(url, limit + field)
            streamCount += 1
            return nil
        }
    }
}
