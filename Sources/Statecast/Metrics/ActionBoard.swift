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

    /// The labels of what is counted together.
    private struct Labels: Hashable {
        var application: Int
        var type: String
        var role: String
        /// The column of `ActionCounts`.
        var column: Int
    }

    private let applications: [Mounted]
    private let roles = RoleLabels()
    /// For each loop, what it has told last of each application: `ActionCounts.cells`.
    private let loops: Lock<[[[[Int]]]]>

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
        let order = sums.sorted { left, right in
            let (one, other) = (left.key, right.key)
            return (one.application, one.type, one.role, one.column)
                < (other.application, other.type, other.role, other.column)
        }
        let rows = order.map { labels, count in
            let (origin, fate) = ActionCounts.label(ofColumn: labels.column)
            return Metric.Row(
                labels: [
                    ("application", applications[labels.application].name), ("type", labels.type),
                    ("role", labels.role), ("origin", origin.rawValue), ("outcome", "\(fate)"),
                ], value: count)
        }
        return [
            Metric("statecast_actions", .counter, "Actions by what has become of them.", rows)
        ]
    }

    /// The counts of all loops together.
    private var sums: [Labels: Int] {
        var sums: [Labels: Int] = [:]
        let names = roles.all
        for counts in loops.withLock({ $0 }) {
            for (application, roles) in counts.enumerated() {
                let types = applications[application].types + ["unknown"]
                for (role, cells) in roles.enumerated() {
                    for (cell, count) in cells.enumerated() where count > 0 {
                        let labels = Labels(
                            application: application, type: types[cell / ActionCounts.columnCount],
                            role: names[role < names.count ? role : RoleLabels.other],
                            column: cell % ActionCounts.columnCount)
                        sums[labels, default: 0] += count
                    }
                }
            }
        }
        return sums
    }
}
