import ArgumentParser
import JournalPostgreSQL
import Journaling

/// What can be asked about servers that share a journal.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Tells of the servers that share a journal.",
        subcommands: [Status.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the servers with their sessions, and when each was last heard of.",
            discussion: """
                `POST /cluster/drain` at a server has the others go on with its sessions; \
                `POST …/move` with {"to":"ADDRESS"} gives one session to a server of this list.
                """)

        @OptionGroup var place: JournalCommand.Place

        func validate() throws {
            guard place.isDatabase else {
                throw ValidationError("Servers share postgresql://user@host/database.")
            }
        }

        func run() async throws {
            let servers = try await place.withDatabase { try await $0.report() }
            Report.say(
                servers.map { report in
                    let server = report.server
                    return [
                        ("server", .number(report.number)), ("address", .text(server.address)),
                        ("state", .text(server.isDraining ? "draining" : "serving")),
                        ("share", .text("\(server.share)")), ("build", .text(report.build)),
                        ("sessions", .number(report.sessionCount)),
                        ("relays", .number(server.relayCount)),
                        ("followed", .number(server.followedCount)),
                        ("silentMilliseconds", .number(Int(report.silence / .milliseconds(1)))),
                    ]
                })
        }
    }
}
