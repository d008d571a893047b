import Redux
import Sessions
import Sockets

/// The numbers of one application's actions on one loop, by type, role, origin and fate.
final class ActionCounts {
    /// The end of an action's way.
    enum Fate: Int, CaseIterable {
        /// It became an entry, or several.
        case accepted
        /// The reducer or a middleware said no.
        case rejected
        /// A middleware has dropped it, or it is a fact that has changed nothing.
        case dropped
        /// A middleware lets it go on later, when it is counted once more.
        case delayed
        /// It was not judged, or not kept: it could not be read, stood in a batch of which another
        /// action was rejected, or the journal took nothing.
        case refused
        /// It came more often than a rate allows.
        case limited

        init(_ outcome: Outcome) {
            switch outcome {
            case .accepted: self = .accepted
            case .rejected: self = .rejected
            case .dropped: self = .dropped
            case .delayed, .queued: self = .delayed
            case .refused: self = .refused
            }
        }

        /// - Parameter index: the place of the action in its batch, where it is of one.
        init(_ result: Result<Decision, Refusal>, at index: Int? = nil) {
            switch result {
            case .success(let decision):
                guard let index, let results = decision.results else {
                    self.init(decision.outcome)
                    return
                }
                self.init(results[index])
            case .failure(.rejected(_, let place)):
                self = place == nil || place == index ? .rejected : .refused
            case .failure(.tooOften): self = .limited
            case .failure: self = .refused
            }
        }
    }

    private static let origins: [Origin] = [.client, .effect, .alarm, .replay, .server]
    // Written out, as a list of all cases is made anew each time.
    private static let fateCount = 6

    /// By role, type, origin and fate, up to the last that was counted; all types that are not known
    /// are one behind the others.
    private(set) var cells: [Int] = []
    private let typeCount: Int
    private let labels: RoleLabels
    /// The principal found last. It is held, so that no other one comes to have its mark.
    private var last = Principal.anonymous
    private var lastMark: UInt = 0
    private var lastRole = RoleLabels.anonymous

    init(typeCount: Int, _ labels: RoleLabels) {
        self.typeCount = typeCount
        self.labels = labels
    }

    /// Counts one action.
    ///
    /// - Parameters:
    ///   - type: the number of its type; nil or any other number: that is not known.
    ///   - principal: the one who sent it, or who has caused the work that reports it; nil: the server.
    func count(_ type: Int?, by principal: Principal?, _ origin: Origin, _ fate: Fate) {
        let type = if let type, (0..<typeCount).contains(type) { type } else { typeCount }
        let row = role(of: principal) * (typeCount + 1) + type
        // A state that is set by hand holds no action: what work makes of it is the server's.
        let column = Self.origins.firstIndex(of: origin) ?? Self.origins.count - 1
        let cell = (row * Self.origins.count + column) * Self.fateCount + fate.rawValue
        // Taken out meanwhile, so that no access to them is checked at run time.
        var counts = exchange(&cells, with: [])
        if cell >= counts.count { counts += repeatElement(0, count: cell + 1 - counts.count) }
        counts[cell] += 1
        cells = counts
    }

    /// Counts the actions of a batch.
    ///
    /// - Parameter types: the numbers of their types.
    func count(
        _ result: Result<Decision, Refusal>, batch types: [Int], by principal: Principal?,
        _ origin: Origin
    ) {
        for (index, type) in types.enumerated() {
            count(type, by: principal, origin, .init(result, at: index))
        }
    }

    /// The number of the label of a principal's roles, which is mostly that of the one before.
    func role(of principal: Principal?) -> Int {
        guard let principal else { return RoleLabels.server }
        let mark = principal.mark
        if mark == lastMark { return lastRole }
        if principal.isAnonymous {
            lastRole = RoleLabels.anonymous
        } else if last.isAnonymous || principal.roles != last.roles {
            lastRole = labels.number(of: principal.roles)
        }
        last = principal
        lastMark = mark
        return lastRole
    }

    /// What a cell counts.
    static func labels(
        ofCell cell: Int, typeCount: Int
    ) -> (role: Int, type: Int, origin: Origin, fate: Fate) {
        let (rest, fate) = cell.quotientAndRemainder(dividingBy: fateCount)
        let (row, origin) = rest.quotientAndRemainder(dividingBy: origins.count)
        let (role, type) = row.quotientAndRemainder(dividingBy: typeCount + 1)
        return (role, type, origins[origin], Fate.allCases[fate])
    }
}

/// The labels that stand for principals in a server's metrics: their roles, never their ids, and only
/// so many different ones.
final class RoleLabels: Sendable {
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

    /// The numbers of sets of roles, and the labels by their numbers.
    private let board = Lock((numbers: [Set<String>: Int](), labels: fixed))

    /// The labels by their numbers: `admin+member` for the roles of both names.
    var all: [String] { board.withLock { $0.labels } }

    /// The number of the label for a set of roles, which is one for all loops.
    func number(of roles: Set<String>) -> Int {
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
