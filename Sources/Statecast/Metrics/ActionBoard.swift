import Redux
import Sockets

/// The board on which the loops of one server tell each other how many actions they have counted.
final class ActionBoard: Sendable {
    /// An application that is mounted.
    private struct Mounted {
        /// `/counter`, or `/`.
        var name: String
        /// The types of its actions, by their numbers.
        var types: [String]
    }

    private let applications: [Mounted]
    private let roles = RoleLabels()
    /// For each loop, what it has told last of each application: `ActionCounts.cells`.
    private let loops: Lock<[[[Int]]]>

    /// - Parameter mounts: the applications in the order of the registries.
    init(_ mounts: [any MountedApplication], loopCount: Int) {
        applications = mounts.map { mount in
            Mounted(name: mount.name.isEmpty ? "/" : mount.name, types: mount.actionTypes)
        }
        loops = Lock(Array(repeating: mounts.map { _ in [] }, count: loopCount))
    }

    /// The place of an application, by the name of its mount.
    func place(ofMount name: String) -> Int {
        let name = name.isEmpty ? "/" : name
        guard let place = applications.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("A session is of an application that is mounted.")
        }
        return place
    }

    /// The counts of one loop, one for each application.
    func makeCounts() -> [ActionCounts] {
        applications.map { ActionCounts(typeCount: $0.types.count, roles) }
    }

    /// Takes over what one loop has counted.
    func update(_ loop: Int, _ counts: [ActionCounts]) {
        loops.withLock { loops in
            precondition(loops.indices.contains(loop), "Only the loops of this server count.")
            loops[loop] = counts.map(\.cells)
        }
    }

    /// The counters, without those that stand at zero; nothing where there are no applications.
    var metrics: [Metric] {
        guard !applications.isEmpty else { return [] }
        var sums: [[String]: Int] = [:]
        let loops = loops.withLock { $0 }
        // Asked for after the counts, so that it names all their roles.
        let roles = roles.all
        for (application, cells) in loops.flatMap({ zip(applications, $0) }) {
            let types = application.types + ["unknown"]
            for (cell, count) in cells.enumerated() where count > 0 {
                let (role, type, origin, fate) = ActionCounts.labels(
                    ofCell: cell, typeCount: application.types.count)
                let labels = [
                    application.name, types[type], roles[role], origin.rawValue, "\(fate)",
                ]
                sums[labels, default: 0] += count
            }
        }
        let names = ["application", "type", "role", "origin", "outcome"]
        let rows = sums.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { Metric.Row(labels: Array(zip(names, $0.key)), value: $0.value) }
        return [
            Metric("statecast_actions", .counter, "Actions by what has become of them.", rows)
        ]
    }
}
