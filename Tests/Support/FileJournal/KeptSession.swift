import Journaling
import Redux

/// A session: its oldest state, and where the entries behind it stand.
struct KeptSession {
    let name: SessionName
    let epoch: String
    let created: Timestamp
    let maker: UInt16
    var lease: Int64?
    private(set) var base: StoredDocument
    /// Of entries before it.
    private var keys: [KeptKey] = []
    /// The places of its batches, and the versions of their last entries: of those before its oldest
    /// state an opening may find all, some or none.
    private(set) var batches: [(last: UInt64, place: Int)] = []
    private(set) var schemas: [(version: UInt64, schema: Int)] = []
    private(set) var alarm: Timestamp?
    private(set) var work: KeptWork?
    private var lastTime: Timestamp?
    private let placeMade: Int
    private var placeOfBase: Int?
    private var placeOfWork: Int?

    init(_ record: Record, at place: Int) {
        name = record.name(at: 0)
        epoch = String(decoding: record.texts[2], as: UTF8.self)
        created = Timestamp(milliseconds: record.numbers[1])
        maker = UInt16(clamping: record.numbers[2])
        base = StoredDocument(version: 0, lastChange: 0, lastTime: nil, schema: 0, json: [])
        placeMade = place
    }

    var version: UInt64 { batches.last?.last ?? base.version }
    var allPlaces: [Int] {
        [placeMade] + batches.map(\.place) + [placeOfBase, placeOfWork].compactMap { $0 }
    }
    var summary: SessionSummary {
        SessionSummary(
            name: name, epoch: epoch, created: created, version: version,
            lastTime: lastTime ?? base.lastTime ?? created, alarm: alarm, maker: maker)
    }

    /// What was kept of its work, and what its entries say since.
    func work(behind entries: [EncodedEntry]) throws(JournalFailure) -> KeptWork? {
        try KeptWork.after(entries, work, epoch: epoch)
    }

    /// Those of before, and those of the entries behind its oldest state.
    func keys(behind entries: [EncodedEntry], by hash: KeyedHash) -> [KeptKey] {
        var first = base.version + 1
        return keys
            + entries.filter(\.isLast).compactMap { entry in
                defer { first = entry.version + 1 }
                return try? KeptKey(in: entry, first: first, by: hash)
            }
    }

    /// - Returns: the places of what it takes the place of.
    mutating func begin(_ record: Record, at place: Int) -> [Int] {
        let document = record.document
        let former = batches.prefix { $0.last <= document.version }.map(\.place)
        batches.removeFirst(former.count)
        setAlarm(record.numbers[5])
        defer { (base, keys, placeOfBase) = (document, record.keys, place) }
        return former + [placeOfBase].compactMap { $0 }
    }

    mutating func append(_ record: Record, at place: Int) {
        if record.numbers[1] >= 0 { schemas.append((record.lastVersion, Int(record.numbers[1]))) }
        setAlarm(record.numbers[2])
        batches.append((record.lastVersion, place))
        lastTime = record.lastTime
    }

    private mutating func setAlarm(_ number: Int64) {
        switch number {
        case Record.unchanged: break
        case Record.none: alarm = nil
        case let time: alarm = Timestamp(milliseconds: time)
        }
    }

    /// - Returns: the place of the words before.
    mutating func keep(_ record: Record, at place: Int) -> Int? {
        work = KeptWork(version: UInt64(bitPattern: record.numbers[1]), bytes: record.texts[0])
        defer { placeOfWork = place }
        return placeOfWork
    }
}
