import HTTPMessages
import HTTPServer
import HTTPTypes
import Journaling
import Redux
import Sessions
import Sockets
import StateCoding

/// A session in a list of all; `watchers`: nil where it sleeps.
private typealias Listing = (summary: SessionSummary, watchers: Int?)

extension Router {
    /// `GET M/sessions?after=demo&limit=100`: an application's sessions in the order of their ids, asleep
    /// or awake, for the role *admin*:
    ///
    ///     [{"id":"demo","token":"k3f9-42","version":42,"created":"…","lastChange":"…","watchers":1}]
    ///
    /// One that sleeps has `"asleep":true` in place of its watchers, and one that may be at a server which
    /// does not answer `"watchers":null`. Another server is told of those that are awake here.
    func listSessions(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let query = Query(request.head.query, in: bytes)
        try query.check()
        let after = try query.value("after", "a session's id") { SessionID($0)?.description } ?? ""
        let limit = try query.limit()
        let (exchange, mount) = (request.exchange, request.mount)
        let name = registry.mounts[mount].name
        Task.immediate {
            do throws(JournalFailure) {
                if exchange.isOfServer {
                    let own = await listings(mount, after: after, limit)
                    return exchange.respond(json: Self.json(of: own, isWhole: true), on: loop)
                }
                var all = try await listings(mount, name, after: after, limit + 1)
                // Those that another server may have by now are not known to sleep.
                let isWhole =
                    await askOthers(of: &all, name, after: after, limit, on: loop)
                    && context.journal.shows(nil, anew: true)
                let page = all.prefix(limit)
                exchange.respond(.ok, on: loop) { writer in
                    if all.count > limit, let last = page.last?.summary.name.id {
                        let path = "\(name)/sessions?after=\(last)&limit=\(limit)"
                        writer.field("Link", "<\(path)>; rel=\"next\"")
                    }
                    writer.content()
                    writer.body(Self.json(of: page, isWhole: isWhole))
                }
            } catch {
                exchange.respond(ProblemDetails(error), on: loop)
            }
        }
    }

    /// The first sessions behind an id: those that sleep are the journal's, and those that are awake their
    /// loops'.
    private func listings(
        _ mount: Int, _ name: String, after id: String, _ limit: Int
    ) async throws(JournalFailure) -> [Listing] {
        let first = SessionName(mount: name, id: id)
        var found: [String: Listing] = [:]
        for summary in try await context.journal.sessions(after: first, limit: limit)
        where summary.name.mount == name { found[summary.name.id] = (summary, nil) }
        for listing in await listings(mount, after: id, limit) {
            found[listing.summary.name.id] = listing
        }
        return found.sorted { $0.key < $1.key }.prefix(limit).map(\.value)
    }

    /// Those that are awake.
    private func listings(_ mount: Int, after id: String, _ limit: Int) async -> [Listing] {
        let awake = await shared.directory.gather { registry, _, told in
            told(registry.listings(mount, after: id, limit))
        }
        return awake.flatMap(\.self).sorted { $0.summary.name.id < $1.summary.name.id }
    }

    /// Has the other servers tell how many watch what they have.
    ///
    /// - Returns: all have told.
    private func askOthers(
        of page: inout [Listing], _ name: String, after id: String, _ limit: Int,
        on loop: isolated EventLoop
    ) async -> Bool {
        guard let peers else { return true }
        let line = "GET \(name)/sessions?limit=\(limit)" + (id.isEmpty ? "" : "&after=\(id)")
        var (counts, isWhole): ([String: Int], Bool) = ([:], true)
        for answer in await peers.ask(line, at: registry.others, on: loop) {
            let rows = answer.flatMap { try? JSONValue(parsing: $0.span).elements }
            isWhole = isWhole && rows != nil
            for row in rows ?? [] {
                if let id = row["id"]?.string { counts[id] = row["watchers"]?.integer }
            }
        }
        for index in page.indices where page[index].watchers == nil {
            page[index].watchers = counts[page[index].summary.name.id]
        }
        return isWhole
    }

    /// - Parameter isWhole: what is not known to be awake sleeps.
    private static func json(of page: some Sequence<Listing>, isWhole: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for (summary, watchers) in page {
            writer.object { writer in
                writer.member("id", summary.name.id)
                writer.member("token", "\(summary.epoch)-\(summary.version)")
                writer.member("version", summary.version)
                writer.member("created", summary.created.iso8601)
                writer.member("lastChange", summary.lastTime.iso8601)
                if let alarm = summary.alarm { writer.member("alarm", alarm.iso8601) }
                if let watchers {
                    writer.member("watchers", watchers)
                } else if isWhole {
                    writer.member("asleep", true)
                } else {
                    writer.member("watchers", json: Array("null".utf8).span)
                }
            }
        }
        writer.endArray()
        return writer.finish()
    }
}

extension SessionRegistry {
    /// The first sessions in memory behind an id.
    fileprivate func listings(_ mount: Int, after id: String, _ limit: Int) -> [Listing] {
        // Few are kept at a time: all of a loop's, sorted, would keep it too long.
        var first: [(id: String, session: Session)] = []
        for session in tables[mount].all {
            let name = session.id.description
            // What another server may have is the journal's to tell.
            guard name > id, isOurs(session, anew: true),
                first.count < limit || name < first[limit - 1].id
            else { continue }
            var (low, high) = (0, first.count)
            while low < high {
                let middle = (low + high) / 2
                if first[middle].id < name { low = middle + 1 } else { high = middle }
            }
            first.insert((name, session), at: low)
            if first.count > limit { first.removeLast() }
        }
        return first.map { ($0.session.summary, $0.session.watcherCount) }
    }
}

extension Session {
    fileprivate var summary: SessionSummary {
        SessionSummary(
            name: SessionName(mount: mountName, id: id.description), epoch: epoch, created: created,
            version: version, lastTime: changed, alarm: nil)
    }
}
