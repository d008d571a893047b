import HTTPMessages
import Testing

@Suite struct `Event streams` {
    @Test func `an event is its name, its id and its data`() {
        var bytes: [UInt8] = []
        EventStreamEncoder.event("snapshot", id: "k3f9-42", data: [UInt8]("{}"), into: &bytes)
        #expect(bytes.text == "event: snapshot\nid: k3f9-42\ndata: {}\n\n")
    }

    @Test func `an event may be data alone`() {
        var bytes = [UInt8]("before\n")
        EventStreamEncoder.event(data: [], into: &bytes)
        #expect(bytes.text == "before\ndata: \n\n")
    }

    @Test func `an id and a time to wait stand alone`() {
        var bytes: [UInt8] = []
        EventStreamEncoder.id("k3f9-43", into: &bytes)
        EventStreamEncoder.retry(milliseconds: 1500, into: &bytes)
        #expect(bytes.text == "id: k3f9-43\n\nretry: 1500\n\n")
    }
}
