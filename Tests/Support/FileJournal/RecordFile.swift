import Glibc
import Journaling
import Redux
import Synchronization

/// A piece of the file: a kind, numbers and texts.
struct Record {
    enum Kind: UInt8 {
        /// Overwritten.
        case void
        case key, made, state, entries, work, ended
    }

    /// Of `AlarmChange`, which else is a time.
    static let (unchanged, none) = (Int64.min, Int64.min + 1)
    /// Its length without its head, a sum, and its kind.
    fileprivate static let headCount = 9

    let kind: Kind
    let numbers: [Int64]
    let texts: [[UInt8]]
    /// In the file.
    private(set) var byteCount = 0

    init(_ kind: Kind, _ numbers: [Int64], _ texts: [[UInt8]]) {
        (self.kind, self.numbers, self.texts) = (kind, numbers, texts)
    }

    func name(at index: Int) -> SessionName {
        SessionName(
            mount: String(decoding: texts[index], as: UTF8.self),
            id: String(decoding: texts[index + 1], as: UTF8.self))
    }

    // MARK: States

    /// - Parameters:
    ///   - keys: of the entries before it.
    ///   - alarm: of the session, which entries before it may have set.
    init(
        _ document: StoredDocument, _ keys: [KeptKey], alarm: Timestamp?, of session: Int64
    ) {
        let numbers = [
            session, Int64(bitPattern: document.version), Int64(bitPattern: document.lastChange),
            document.lastTime?.milliseconds ?? Self.none, Int64(document.schema),
            alarm?.milliseconds ?? Self.none,
        ]
        self.init(
            .state,
            keys.reduce(into: numbers) { numbers, key in
                numbers += [
                    Int64(truncatingIfNeeded: key.key), Int64(truncatingIfNeeded: key.key >> 64),
                    Int64(truncatingIfNeeded: key.print),
                    Int64(truncatingIfNeeded: key.print >> 64),
                    key.at.milliseconds, Int64(bitPattern: key.first), Int64(bitPattern: key.last),
                    (key.changed ? 1 : 0) | (key.batch == nil ? 0 : 2),
                ]
            }, [document.json] + keys.map { $0.batch ?? [] })
    }

    /// Two of its numbers as one, the lower half first.
    private func number(at place: Int) -> UInt128 {
        UInt128(UInt64(bitPattern: numbers[place + 1])) << 64
            | UInt128(UInt64(bitPattern: numbers[place]))
    }

    /// Those that stand beside a state.
    var keys: [KeptKey] {
        texts.indices.dropFirst().map { index in
            let place = 6 + 8 * (index - 1)
            let flags = numbers[place + 7]
            return KeptKey(
                key: number(at: place), print: number(at: place + 2),
                at: Timestamp(milliseconds: numbers[place + 4]),
                first: UInt64(bitPattern: numbers[place + 5]),
                last: UInt64(bitPattern: numbers[place + 6]), changed: flags & 1 != 0,
                batch: flags & 2 == 0 ? nil : texts[index])
        }
    }

    init(_ work: KeptWork, of session: Int64) {
        self.init(.work, [session, Int64(bitPattern: work.version)], [work.bytes])
    }

    var document: StoredDocument {
        StoredDocument(
            version: UInt64(bitPattern: numbers[1]),
            lastChange: UInt64(bitPattern: numbers[2]),
            lastTime: numbers[3] == Self.none ? nil : Timestamp(milliseconds: numbers[3]),
            schema: Int(numbers[4]), json: texts[0])
    }

    // MARK: Batches

    /// One record a batch: all of it is there, or nothing.
    init(_ batch: AppendBatch, _ entries: [EncodedEntry]) {
        let alarm =
            switch batch.alarm {
            case .unchanged: Self.unchanged
            case .none: Self.none
            case .at(let time): time.milliseconds
            }
        var numbers = [batch.lease.session, Int64(batch.schema ?? -1), alarm]
        for entry in entries {
            let flags =
                (entry.isLast ? 1 : 0) | (entry.patch == nil ? 0 : 2)
                | (entry.print == nil ? 0 : 4)
            numbers += [
                Int64(bitPattern: entry.version), entry.at.milliseconds, Int64(flags),
                Int64(truncatingIfNeeded: entry.print ?? 0),
                Int64(truncatingIfNeeded: (entry.print ?? 0) >> 64),
            ]
        }
        self.init(.entries, numbers, entries.flatMap { [$0.head, $0.patch ?? []] })
    }

    var lastVersion: UInt64 { UInt64(bitPattern: numbers[numbers.count - 5]) }
    var lastTime: Timestamp { Timestamp(milliseconds: numbers[numbers.count - 4]) }

    var entries: [EncodedEntry] {
        stride(from: 0, to: texts.count, by: 2).map { index in
            let place = 3 + 5 * (index / 2)
            let flags = numbers[place + 2]
            return EncodedEntry(
                version: UInt64(bitPattern: numbers[place]),
                at: Timestamp(milliseconds: numbers[place + 1]), head: texts[index],
                print: flags & 4 == 0 ? nil : number(at: place + 3),
                patch: flags & 2 == 0 ? nil : texts[index + 1], isLast: flags & 1 != 0)
        }
    }

    // MARK: Bytes

    /// Its length in four bytes, a sum in four, its kind in one; counts in four bytes, numbers in eight.
    mutating func write(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes += repeatElement(0, count: Self.headCount - 1)
        bytes.append(kind.rawValue)
        bytes.add(numbers.count, 4)
        for number in numbers { bytes.add(Int(number), 8) }
        bytes.add(texts.count, 4)
        for text in texts {
            bytes.add(text.count, 4)
            bytes += text
        }
        byteCount = bytes.count - start
        var head: [UInt8] = []
        head.add(byteCount - Self.headCount, 4)
        head.add(Self.sum(of: bytes[(start + Self.headCount)...]), 4)
        bytes.replaceSubrange(start..<start + 8, with: head)
    }

    /// Nil where it is not what was written.
    fileprivate init?(_ kind: Kind, _ sum: Int, _ bytes: [UInt8]) {
        guard kind == .void || Self.sum(of: bytes[...]) == sum else { return nil }
        var (rest, numbers, texts): (ArraySlice, [Int64], [[UInt8]]) = (bytes[...], [], [])
        func take(_ count: Int) -> Int {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        if kind != .void {
            for _ in 0..<take(4) { numbers.append(Int64(take(8))) }
            for _ in 0..<take(4) {
                let count = take(4)
                texts.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
        }
        self.init(kind, numbers, texts)
        byteCount = Self.headCount + bytes.count
    }

    private static func sum(of bytes: ArraySlice<UInt8>) -> Int {
        Int(bytes.reduce(UInt32(1)) { $0 &* 31 &+ UInt32($1) })
    }
}

extension [UInt8] {
    fileprivate mutating func add(_ value: Int, _ count: Int) {
        for place in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }
}

/// The file, which one process has.
final class RecordFile: Sendable {
    private let file: Int32
    private let isLocked = Mutex(true)

    init(_ path: String) throws(JournalFailure) {
        file = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .unavailable }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            throw .heldElsewhere
        }
    }

    deinit { close(file) }

    /// Another process may have it.
    func unlock() { flock(file, LOCK_UN) }

    /// The record at a place; nil where there is none, or not what was written: a write that was torn.
    func read(at place: Int) -> Record? {
        let head = bytes(Record.headCount, at: place)
        guard head.count == Record.headCount, let kind = Record.Kind(rawValue: head[8]) else {
            return nil
        }
        func number(_ range: Range<Int>) -> Int {
            head[range].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let (count, start) = (number(0..<4), place + Record.headCount)
        var status = stat()
        guard unsafe fstat(file, &status) == 0, start + count <= status.st_size else { return nil }
        return Record(kind, number(4..<8), bytes(count, at: start))
    }

    private func bytes(_ count: Int, at place: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = unsafe pread(file, &bytes, count, off_t(place))
        return Array(bytes.prefix(max(0, found)))
    }

    func cut(at end: Int) {
        ftruncate(file, off_t(end))
        lseek(file, 0, SEEK_END)
    }

    /// Writes bytes behind the last ones, and has them on the disk.
    func append(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty else { return true }
        return unsafe write(file, bytes, bytes.count) == bytes.count && fdatasync(file) == 0
    }

    /// Overwrites records, and has that on the disk.
    func void(_ places: [Int]) -> Bool {
        for place in Set(places) {
            guard let record = read(at: place) else { continue }
            // Its kind, and all behind it.
            let zeros = [UInt8](repeating: 0, count: record.byteCount - 8)
            guard unsafe pwrite(file, zeros, zeros.count, off_t(place + 8)) == zeros.count else {
                return false
            }
        }
        return places.isEmpty || fdatasync(file) == 0
    }
}
