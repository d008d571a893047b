import Sockets

/// The labels that stand for principals in a server's metrics: their roles, never their ids, and only
/// so many different ones.
final class RoleLabels: Sendable {
    /// The number of a label.
    typealias Number = Int

    /// The server itself.
    static let server = 0
    /// A client that nothing has asked who it is.
    static let anonymous = 1
    /// A principal without roles.
    static let none = 2
    /// Roles that have no label of their own: there are labels enough, or it would be too long, or could
    /// be read as another one.
    static let other = 3
    private static let fixed = ["server", "anonymous", "none", "other"]

    /// The most sets of roles that have a label of their own.
    static let limit = 32
    /// The longest label of a set of roles, in bytes.
    static let byteCount = 64

    private struct Board {
        var numbers: [Set<String>: Number] = [:]
        var labels = RoleLabels.fixed
    }

    private let board = Lock(Board())

    /// The labels by their numbers: `admin+member` for the roles of both names.
    var all: [String] { board.withLock { $0.labels } }

    /// The number of the label for a set of roles, which is one for all loops.
    func number(of roles: Set<String>) -> Number {
        guard !roles.isEmpty else { return Self.none }
        return board.withLock { board in
            if let known = board.numbers[roles] { return known }
            guard board.numbers.count < Self.limit else { return Self.other }
            let label = roles.sorted().joined(separator: "+")
            guard label.utf8.count <= Self.byteCount, !Self.fixed.contains(label),
                !roles.contains(where: { $0.contains("+") })
            else { return Self.other }
            board.numbers[roles] = board.labels.count
            board.labels.append(label)
            return board.labels.count - 1
        }
    }
}
