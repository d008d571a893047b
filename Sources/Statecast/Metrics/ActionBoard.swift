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
        var role: RoleLabels.Number
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
        var sums: [Labels: [Int]] = [:]
        let columnCount = ActionCounts.columnCount
        for counts in loops.withLock({ $0 }) {
            for (index, roles) in counts.enumerated() {
                let types = applications[index].types + ["unknown"]
                for (number, cells) in roles.enumerated() where !cells.isEmpty {
                    let role = number < roleCount ? number : RoleLabels.other
                    for (place, type) in types.enumerated() {
                        let row = cells[place * columnCount..<(place + 1) * columnCount]
                        let labels = Labels(application: index, type: type, role: role)
                        sums[labels] = zip(sums[labels] ?? row.map { _ in 0 }, row).map(+)
                    }
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

/// The values of labels in the OpenMetrics text format (OpenMetrics 1.0 §5, `escaped-string`).
enum MetricsLabel {
    /// The value with `\`, `"` and line ends escaped: `a"b` is `a\"b`.
    static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
