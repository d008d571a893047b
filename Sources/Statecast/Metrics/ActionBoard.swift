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

    /// The counts of one application on one loop, as they were told last.
    private struct Told {
        var rows: [ActionCounts.Row] = []
        var cells: [Int] = []

        /// Takes counts over without sharing their memory: they go on changing.
        mutating func copy(_ counts: ActionCounts) {
            rows.removeAll(keepingCapacity: true)
            rows.append(contentsOf: counts.rows)
            cells.removeAll(keepingCapacity: true)
            cells.append(contentsOf: counts.cells)
        }
    }

    /// The labels of what is counted together.
    private struct Labels: Hashable {
        var application: Int
        var type: String
        var role: RoleLabels.Number
    }

    private let applications: [Mounted]
    private let roles = RoleLabels()
    /// For each loop, what it has told of each application.
    private let loops: Lock<[[Told]]>

    /// - Parameter mounts: the applications in the order of the registries.
    init(_ mounts: [any MountedApplication], loopCount: Int) {
        applications = mounts.map { mount in
            Mounted(name: mount.name.isEmpty ? "/" : mount.name, types: mount.actionTypes)
        }
        let none = mounts.map { _ in Told() }
        loops = Lock(Array(repeating: none, count: loopCount))
    }

    /// The place of an application, by the name of its mount.
    func place(ofMount name: String) -> Int {
        let name = name.isEmpty ? "/" : name
        guard let place = applications.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("A session is of an application that is mounted.")
        }
        return place
    }

    /// The tallies of one loop, one for each application.
    func makeTallies() -> [ActionTally] {
        applications.map { ActionTally(typeCount: $0.types.count, roles) }
    }

    /// Takes over what one loop has counted.
    func update(_ loop: Int, _ tallies: [ActionTally]) {
        loops.withLock { loops in
            precondition(loops.indices.contains(loop), "Only the loops of this server count.")
            for index in tallies.indices { loops[loop][index].copy(tallies[index].drainedCounts()) }
        }
    }

    // MARK: Text

    /// The counters in the OpenMetrics text format, without those that stand at zero; nothing where
    /// there are no applications.
    var metricsText: String {
        guard !applications.isEmpty else { return "" }
        let names = roles.all
        let sums = sums(ofRoles: names.count)
        var text = """
            # TYPE statecast_actions counter
            # HELP statecast_actions Actions by what has become of them.\n
            """
        let order = sums.keys.sorted { left, right in
            (left.application, left.type, names[left.role])
                < (right.application, right.type, names[right.role])
        }
        for labels in order {
            for (column, count) in (sums[labels] ?? []).enumerated() where count > 0 {
                text += line(labels, names[labels.role], column, count)
            }
        }
        return text
    }

    /// The counts of all loops together.
    ///
    /// - Parameter roleCount: the number of labels of roles that have names.
    private func sums(ofRoles roleCount: Int) -> [Labels: [Int]] {
        let told = loops.withLock { $0 }
        var sums: [Labels: [Int]] = [:]
        let columnCount = ActionCounts.columnCount
        for loop in told {
            for (index, one) in loop.enumerated() {
                let types = applications[index].types
                for (place, row) in one.rows.enumerated() {
                    let type = row.type < types.count ? types[row.type] : "unknown"
                    let role = row.role < roleCount ? row.role : RoleLabels.other
                    let labels = Labels(application: index, type: type, role: role)
                    var sum = sums[labels] ?? Array(repeating: 0, count: columnCount)
                    for column in 0..<columnCount {
                        sum[column] += one.cells[place * columnCount + column]
                    }
                    sums[labels] = sum
                }
            }
        }
        return sums
    }

    private func line(
        _ labels: Labels, _ role: String, _ column: Int, _ count: Int
    ) -> String {
        let (origin, fate) = ActionCounts.label(ofColumn: column)
        let parts = [
            ("application", applications[labels.application].name), ("type", labels.type),
            ("role", role), ("origin", origin.rawValue), ("outcome", "\(fate)"),
        ]
        let list = parts.map { "\($0)=\"\(MetricsLabel.escaped($1))\"" }.joined(separator: ",")
        return "statecast_actions_total{\(list)} \(count)\n"
    }
}
