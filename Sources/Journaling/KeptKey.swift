public import Redux
public import StateCoding

/// An idempotency key that stands in a kept entry, with what its first answer is computed from.
public struct KeptKey: Sendable, Hashable {
    /// A keyed hash of it and its principal, which no client can choose.
    public var key: UInt128
    /// A keyed hash of the body; its lowest 16 bits are the print of the client into whose share of a
    /// session's keys it counts.
    public var print: UInt128
    /// The time at which its entries were decided.
    public var at: Timestamp
    /// The version of its first entry.
    public var first: UInt64
    /// The version of its last entry.
    public var last: UInt64
    /// One entry of it changed the state.
    public var changed: Bool
    /// The outcomes of its actions as `batch` of the entry's head has them; nil for one action.
    public var batch: [UInt8]?

    /// A key as it stands in an entry.
    public init(
        key: UInt128, print: UInt128, at: Timestamp, first: UInt64, last: UInt64, changed: Bool,
        batch: [UInt8]? = nil
    ) {
        self.key = key
        self.print = print
        self.at = at
        self.first = first
        self.last = last
        self.changed = changed
        self.batch = batch
    }
}

extension KeptKey {
    /// The key in the last entry of a batch, if it has one.
    ///
    /// - Parameters:
    ///   - first: the version of the batch's first entry.
    ///   - hash: the journal's.
    public init?(
        in entry: EncodedEntry, first: UInt64, by hash: KeyedHash
    ) throws(DecodingFailure) {
        guard let print = entry.print else { return nil }
        let head = try JSONValue(written: entry.head.span)
        guard let key = head["key"]?.string else { return nil }
        self.init(
            key: hash.hash(ofKey: key, of: head["by"]?["id"]?.string ?? ""), print: print,
            at: entry.at, first: first, last: entry.version,
            changed: entry.patch != nil || entry.secrets != nil,
            batch: head["batch"]?.string.map { Array($0.utf8) })
    }
}

extension Timestamp {
    /// It is one of those that dates of JavaScript have, some 270,000 years around 1970.
    package var isDate: Bool { milliseconds.magnitude <= 8_640_000_000_000_000 }
}

/// Idempotency keys as bytes: decoding a hundred thousand from JSON takes half a second, from these a
/// fortieth of it.
///
/// Of each seven numbers of eight bytes, flags of one, and the length of its batch in four; then that.
package struct KeyList: Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Nil where there are none.
    package init?(_ keys: [KeptKey]) {
        guard !keys.isEmpty else { return nil }
        var bytes: [UInt8] = []
        func add(_ number: UInt64, _ count: Int) {
            for place in 0..<count {
                bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place)))
            }
        }
        for key in keys {
            let at = UInt64(bitPattern: key.at.milliseconds)
            for hash in [key.key, key.print] {
                add(UInt64(truncatingIfNeeded: hash), 8)
                add(UInt64(truncatingIfNeeded: hash >> 64), 8)
            }
            for number in [at, key.first, key.last] { add(number, 8) }
            add((key.changed ? 1 : 0) | (key.batch == nil ? 0 : 2), 1)
            add(UInt64(key.batch?.count ?? 0), 4)
            bytes += key.batch ?? []
        }
        self.bytes = bytes
    }

    /// A session may have no more keys.
    package static let most = 100_000

    /// The keys of a session's lists, of which the newest is the first: the oldest first, and of too many the
    /// newest.
    package static func keys(
        of lists: [KeyList]
    ) throws(JournalFailure) -> [KeptKey] {
        var (keys, count): ([[KeptKey]], Int) = ([], 0)
        for list in lists where count < most {
            keys.append(try list.decode())
            count += keys.last?.count ?? 0
        }
        return Array(keys.reversed().joined())
    }

    package func decode() throws(JournalFailure) -> [KeptKey] {
        var (keys, place): ([KeptKey], Int) = ([], 0)
        func take(_ count: Int) -> UInt64 {
            defer { place += count }
            return (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
        }
        func takeHash() -> UInt128 { UInt128(take(8)) | UInt128(take(8)) << 64 }
        while place < bytes.count {
            guard place + 61 <= bytes.count else { throw .damaged(good: nil) }
            let (key, print) = (takeHash(), takeHash())
            let (at, first, last) = (take(8), take(8), take(8))
            let (flags, length) = (take(1), Int(take(4)))
            let time = Timestamp(milliseconds: Int64(bitPattern: at))
            guard first <= last, last < 1 << 62, time.isDate, bytes.count - place >= length
            else { throw .damaged(good: nil) }
            let batch = bytes[place..<place + length]
            place += length
            keys.append(
                KeptKey(
                    key: key, print: print, at: time, first: first, last: last,
                    changed: flags & 1 != 0, batch: flags & 2 == 0 ? nil : Array(batch)))
        }
        return keys
    }
}
