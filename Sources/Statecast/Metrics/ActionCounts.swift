import Redux

/// The numbers of one application's actions, by type, role, origin and fate, without names: types
/// and roles are numbers. One loop's.
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

        init(_ outcome: Outcome) {
            switch outcome {
            case .accepted: self = .accepted
            case .rejected: self = .rejected
            case .dropped: self = .dropped
            case .delayed, .queued: self = .delayed
            case .refused: self = .refused
            }
        }
    }

    /// The counts of one type and one role: a row of `cells`, by origin and fate.
    struct Row: Hashable {
        var type: Int
        var role: Int
    }

    /// The most rows: what comes above them is counted as of an unknown type.
    static let rowLimit = 1_024
    private static let origins: [Origin] = [.client, .effect, .alarm, .server, .replay]
    // Written out, as a list of all cases is made anew each time.
    private static var fateCount: Int { 5 }
    static var columnCount: Int { 5 * fateCount }

    var rows: [Row] { rowList }
    /// `columnCount` numbers for each row.
    var cells: [Int] { numbers }
    private var rowList: [Row] = []
    private var numbers: [Int] = []
    /// The rows of each type and role, from 1; 0: there is none.
    private var places: [UInt16]
    /// The number of the types; the unknown ones are counted as the one behind the last.
    private let typeCount: Int
    private let roleCount: Int

    /// - Parameters:
    ///   - typeCount: the number of the types that are known.
    ///   - roleCount: the number of the roles that there can be.
    init(typeCount: Int, roleCount: Int) {
        self.typeCount = typeCount
        self.roleCount = roleCount
        let count = (typeCount + 1) * roleCount
        precondition(
            count < Int(UInt32.max) / Self.columnCount, "A place has a number of 32 bits.")
        places = Array(repeating: 0, count: count)
    }

    /// The place of an action among all that there can be.
    ///
    /// - Parameter type: the number of its type; any other number: it is not known.
    @inline(__always)
    func place(of type: Int, role: Int, _ origin: Origin, _ fate: Fate) -> UInt32 {
        precondition(role >= 0 && role < roleCount, "A role is one of those that there can be.")
        let type = type >= 0 && type < typeCount ? type : typeCount
        return UInt32(
            (type * roleCount + role) * Self.columnCount + Self.column(origin, fate))
    }

    /// Adds to the number at a place.
    func add(_ number: Int, at place: UInt32) {
        let (pair, column) = Int(place).quotientAndRemainder(dividingBy: Self.columnCount)
        let (type, role) = pair.quotientAndRemainder(dividingBy: roleCount)
        numbers[row(type, role) * Self.columnCount + column] += number
    }

    /// Counts an action; `type` as above.
    func count(_ type: Int, role: Int, _ origin: Origin, _ fate: Fate) {
        add(1, at: place(of: type, role: role, origin, fate))
    }

    /// The row of a type and a role, which is made where there is none.
    private func row(_ type: Int, _ role: Int) -> Int {
        let known = Int(places[type * roleCount + role])
        if known > 0 { return known - 1 }
        // Room is left for unknown types, of each role one.
        if type < typeCount, rows.count >= Self.rowLimit { return row(typeCount, role) }
        rowList.append(Row(type: type, role: role))
        numbers += Array(repeating: 0, count: Self.columnCount)
        places[type * roleCount + role] = UInt16(rows.count)
        return rows.count - 1
    }

    private static func column(_ origin: Origin, _ fate: Fate) -> Int {
        origin.column * fateCount + fate.rawValue
    }

    /// The origin and the fate that a column is of.
    static func label(ofColumn column: Int) -> (origin: Origin, fate: Fate) {
        let (origin, fate) = column.quotientAndRemainder(dividingBy: fateCount)
        return (origins[origin], Fate.allCases[fate])
    }
}

extension Origin {
    /// The place among the origins of columns.
    fileprivate var column: Int {
        switch self {
        case .client: 0
        case .effect: 1
        case .alarm: 2
        // A state that is set by hand holds no action: what work makes of it is counted as its own.
        case .server, .inspector: 3
        case .replay: 4
        }
    }
}
