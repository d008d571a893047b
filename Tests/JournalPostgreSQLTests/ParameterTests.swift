import PostgreSQL
import Testing

/// The bytes that the database gets, and the sums that stand in it: those of Python's `struct` and
/// `zlib.crc32`. Other ones would make damaged of what was kept before.
struct ParameterTests {
    static let row: [Parameter] = [
        .integer(1), .integer(nil), .text("é"), .bytes([]), .bytes(nil), .bytes([1, 2]), .text(""),
    ]

    @Test func `values stand one behind the other, and nulls have no bytes`() {
        let (bytes, counts) = Self.row.encoded
        #expect(bytes == [0, 0, 0, 0, 0, 0, 0, 1, 195, 169, 1, 2])
        #expect(counts == [8, -1, 2, 0, -1, 2, 0])
        #expect([Parameter]().encoded.counts.isEmpty)
    }

    @Test func `a sum is of all bytes and their numbers, and goes on`() {
        #expect(Self.row.checksum() == 1_229_432_754)
        #expect(Self.row.checksum(after: 7) == 3_011_138_789)
        #expect([.integer(nil), .bytes(nil)].checksum(after: 7) == 729_929_221)
        #expect([Parameter]().checksum(after: 7) == 7)
    }

    @Test func `rows with their sums are given by columns`() {
        var (rows, sum) = (Rows(), UInt32(7))
        for row: [Parameter] in [[.integer(-2), .bytes([97])], [.integer(3), .bytes(nil)]] {
            sum = rows.add(row, after: sum)
        }
        #expect(sum == 3_071_164_817)
        let (bytes, counts) = rows.columns.encoded
        #expect(counts == [44, 29, 44])
        let numbers: [UInt8] = [
            0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1,
            0, 0, 0, 8, 255, 255, 255, 255, 255, 255, 255, 254, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 3,
        ]
        let texts: [UInt8] = [
            0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 17, 0, 0, 0, 2, 0, 0, 0, 1,
            0, 0, 0, 1, 97, 255, 255, 255, 255,
        ]
        // The first sum is 3,427,516,231, as a number with a sign.
        let sums: [UInt8] = [
            0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1,
            0, 0, 0, 8, 255, 255, 255, 255, 204, 75, 191, 71,
            0, 0, 0, 8, 255, 255, 255, 255, 183, 14, 65, 145,
        ]
        #expect(bytes == numbers + texts + sums)
    }
}
