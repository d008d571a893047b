import Bytes
internal import CPostgreSQL
internal import CZlib

/// A statement, which each connection prepares with its first use; one that has no name is not prepared.
package struct Statement: Sendable, ExpressibleByStringInterpolation {
    package let name: String
    package var text: String

    package init(stringLiteral text: String) {
        (name, self.text) = ("s\([.text(text)].checksum())", text)
    }

    package init(once text: String) { (name, self.text) = ("", text) }

    /// The same without a name: behind a pooler another connection may have prepared it.
    package var once: Statement { Statement(once: text) }

    package func callAsFunction(_ parameters: Parameter...) -> Call { self(parameters) }

    package func callAsFunction(_ parameters: [Parameter]) -> Call {
        Call(statement: self, parameters: parameters)
    }
}

/// A statement with its parameters.
package struct Call: Sendable {
    package let statement: Statement
    package let parameters: [Parameter]
}

/// A statement's parameter. Numbers are `int8`, and bytes `bytea`, whatever the column is.
package enum Parameter: Sendable {
    case integer(Int64?)
    case text(String)
    case bytes([UInt8]?)
    /// One of the columns as an array.
    case column(Rows, Int)

    /// The object id of its type.
    fileprivate var type: Int32 {
        switch self {
        case .integer: 20
        case .text: 25
        case .bytes, .column: 17
        }
    }

    /// Of its binary form; -1 for null.
    fileprivate var byteCount: Int32 {
        switch self {
        case .integer(let number): number == nil ? -1 : 8
        case .text(let text): Int32(text.utf8.count)
        case .bytes(let list): list.map { Int32($0.count) } ?? -1
        case .column(let rows, let first):
            stride(from: first, to: rows.values.count, by: rows.types.count).reduce(20) {
                $0 + 4 + max(rows.values[$1].count, 0)
            }
        }
    }

    /// Safety: there is room for as many bytes as `byteCount` says.
    fileprivate func write(to place: inout UnsafeMutableRawPointer) {
        switch self {
        case .integer(let number): if let number { unsafe place.write(number) }
        case .text(let text): for byte in text.utf8 { unsafe place.write(byte) }
        case .bytes(let list): if let list { unsafe place.write(list[...]) }
        case .column(let rows, let first):
            let (values, width) = (rows.values, rows.types.count)
            // Of one dimension, with nulls, of a type, so many, and the first is number 1.
            let head = [1, 1, rows.types[first], Int32(values.count / width), 1]
            for number in head { unsafe place.write(number) }
            for index in stride(from: first, to: values.count, by: width) {
                let (start, count) = values[index]
                unsafe place.write(count)
                if count > 0 { unsafe place.write(rows.bytes[start..<start + Int(count)]) }
            }
        }
    }
}

/// Rows, at least one, whose columns `unnest` takes: in binary form from the beginning, so that nothing is
/// copied by its parts.
package struct Rows: Sendable {
    fileprivate private(set) var types: [Int32] = []
    fileprivate private(set) var bytes: [UInt8] = []
    /// Where the bytes of each value begin, one row's behind the other's, and how many they are; -1 for null.
    fileprivate private(set) var values: [(start: Int, count: Int32)] = []

    package init() {}

    /// Values by themselves, without columns.
    fileprivate init(of values: [Parameter]) {
        self.values.reserveCapacity(values.count)
        write(values)
    }

    package mutating func add(_ row: [Parameter]) {
        if types.isEmpty { types = row.map(\.type) }
        write(row)
    }

    /// Adds a row with the sum of its values behind them, which goes on from that of the row before.
    package mutating func add(_ row: [Parameter], after sum: UInt32) -> UInt32 {
        if types.isEmpty { types = (row + [.sum(0)]).map(\.type) }
        write(row)
        let sum = checksum(ofLast: row.count, after: sum)
        write(CollectionOfOne(.sum(sum)))
        return sum
    }

    /// Writes values behind the others, by pointers: appended one by one an entry took 0.5 µs more.
    ///
    /// Safety: there is room for the bytes of all of them.
    fileprivate mutating func write(_ row: some Collection<Parameter>) {
        let start = bytes.count
        var end = start
        for parameter in row {
            let count = parameter.byteCount
            values.append((end, count))
            end += Int(max(count, 0))
        }
        guard end > start else { return }
        bytes.append(addingCapacity: end - start) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, written in
                guard var place = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
                for parameter in row { unsafe parameter.write(to: &place) }
                written = end - start
            }
        }
    }

    /// CRC-32 over the last values, so many, and the numbers of their bytes, which goes on from the sum of
    /// what stands before them.
    fileprivate func checksum(ofLast count: Int, after sum: UInt32) -> UInt32 {
        let last = values[(values.count - count)...]
        let start = last.first?.start ?? bytes.count
        // By a closure: the way of a key path is gone anew each time.
        let counts = last.map { $0.count.bigEndian }
        let sum = unsafe bytes[start...].withUnsafeBytes { unsafe $0.checksum(after: sum) }
        return unsafe counts.withUnsafeBytes { unsafe $0.checksum(after: sum) }
    }

    package var columns: [Parameter] { types.indices.map { .column(self, $0) } }
}

extension Parameter {
    /// As `int4` has it.
    package static func sum(_ sum: UInt32) -> Parameter { .integer(Int64(Int32(bitPattern: sum))) }
}

extension [[Parameter]] {
    /// Of rows, at least one, the columns.
    package var columns: [Parameter] { reduce(into: Rows()) { $0.add($1) }.columns }
}

extension [Parameter] {
    /// Their binary form, one behind the other, and the number of bytes of each; -1 for null.
    package var encoded: (bytes: [UInt8], counts: [Int32]) {
        let row = Rows(of: self)
        return (row.bytes, row.values.map(\.count))
    }

    /// CRC-32 over all of them, and over the sum of what stands before them.
    package func checksum(after sum: UInt32 = 0) -> UInt32 {
        Rows(of: self).checksum(ofLast: count, after: sum)
    }
}

extension UnsafeRawBufferPointer {
    /// Safety: zlib reads the bytes that the buffer has.
    fileprivate func checksum(after sum: UInt32) -> UInt32 {
        let bytes = unsafe baseAddress?.assumingMemoryBound(to: UInt8.self)
        // Of no bytes zlib would say 0.
        return unsafe isEmpty
            ? sum : UInt32(truncatingIfNeeded: crc32(UInt(sum), bytes, UInt32(count)))
    }
}

/// Safety: who writes has made room.
extension UnsafeMutableRawPointer {
    fileprivate mutating func write<Number: FixedWidthInteger>(_ number: Number) {
        unsafe storeBytes(of: number.bigEndian, as: Number.self)
        unsafe self += MemoryLayout<Number>.size
    }

    fileprivate mutating func write(_ bytes: ArraySlice<UInt8>) {
        let room = unsafe UnsafeMutableRawBufferPointer(start: self, count: bytes.count)
        unsafe room.copyBytes(from: bytes)
        unsafe self += bytes.count
    }
}

/// What a statement gives.
///
/// Safety: it has one owner, which clears it, and nobody changes it.
@safe final class DatabaseResult: @unchecked Sendable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe cpostgresql_clear(handle) }

    var status: ExecStatusType { unsafe cpostgresql_result_status(handle) }
    var columnCount: Int32 { unsafe cpostgresql_column_count(handle) }
    var rows: [ResultRow] {
        (0..<(unsafe cpostgresql_row_count(handle))).map { ResultRow(result: self, row: $0) }
    }

    /// What it says where it has failed.
    var failure: DatabaseFailure {
        // `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`
        unsafe .refused(
            code: String(cString: cpostgresql_result_error(handle, 67)),
            message: String(cString: cpostgresql_result_error(handle, 77)))
    }

    /// Nil for null.
    fileprivate func read<Value>(
        _ row: Int32, _ column: Int, _ body: (Span<UInt8>) -> Value
    ) -> Value? {
        var count: Int32 = 0
        let start = unsafe cpostgresql_value(handle, row, Int32(column), &count)
        return unsafe start.map {
            body(unsafe Span(_unsafeStart: $0, count: Int(count)))
        }
    }
}

/// A row that a statement gives, in binary form.
package struct ResultRow: Sendable {
    fileprivate let result: DatabaseResult
    fileprivate let row: Int32

    package var count: Int { Int(result.columnCount) }

    /// A number of any width; nil for null.
    package func integer(_ column: Int) -> Int64? {
        result.read(row, column) { bytes in
            let isNegative = bytes.count > 1 && bytes[0] & 0x80 != 0
            return bytes.indices.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64(bytes[$1]) }
        }
    }

    package func number(_ column: Int) -> Int64 { integer(column) ?? 0 }
    /// A version: what can be none becomes one that no session reaches, behind which there is room.
    package func version(_ column: Int) -> UInt64 {
        let number = number(column)
        return 0...1 << 62 ~= number ? UInt64(number) : 1 << 62
    }
    package func text(_ column: Int) -> String {
        String(decoding: bytes(column) ?? [], as: UTF8.self)
    }
    package func bytes(_ column: Int) -> [UInt8]? {
        result.read(row, column) { [UInt8](copying: $0) }
    }
}

/// What has kept a request from being done.
package enum DatabaseFailure: Error, Sendable {
    /// There is no connection, and nothing was sent.
    case unreachable(String)
    /// The database has refused it: nothing of it is kept, for certain.
    case refused(code: String, message: String)
    /// The connection was lost behind it: it is done, or not, or will be.
    case unknown

    /// It is not what was asked for: another connection may do it.
    package var isOfConnection: Bool {
        // The database stops, has ended this process, or begins.
        if case .refused(let code, _) = self { code.hasPrefix("57P") } else { true }
    }
}

/// The rows of each statement of a transaction.
package typealias Reply = Result<[[ResultRow]], DatabaseFailure>

/// Statements that are one transaction, and what is told how that has ended. Asked for once: as soon as the
/// connection is free, or where nothing can be reached.
package typealias Request = @Sendable () -> (calls: [Call], answered: @Sendable (Reply) -> Void)
