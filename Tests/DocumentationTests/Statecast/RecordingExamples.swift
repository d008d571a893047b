import StatecastTesting
import Testing

@Suite struct `Recordings of a room` {
    @Test func `are a suite of files`() throws {
        try Recording.checkAll(in: "Recordings", of: Room())
    }

    @Test func `are values`() throws {
        let friday = try Recording(of: Room(), contentsOf: "Recordings/Friday.ndjson")
        #expect(friday.entries.compactMap(\.action) == [.said(text: "Hi")])
        #expect(friday.check() == [])
    }
}
