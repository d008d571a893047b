import Testing

@testable import HTTPMessages

@Suite struct `Event streams` {
    private func event(_ name: String? = nil, id: String? = nil, data: String) -> String {
        var bytes: [UInt8] = []
        if let name { EventStreamEncoder.name(name, into: &bytes) }
        if let id { EventStreamEncoder.id(into: &bytes) { $0.append(contentsOf: id.utf8) } }
        EventStreamEncoder.data(into: &bytes) { $0.append(contentsOf: data.utf8) }
        EventStreamEncoder.end(into: &bytes)
        return bytes.text
    }

    @Test func `an event is its name, its id and its data`() {
        #expect(
            event("snapshot", id: "k3f9-42", data: "{}")
                == "event: snapshot\nid: k3f9-42\ndata: {}\n\n")
    }

    @Test func `an event may be data alone`() {
        #expect(event(data: "") == "data: \n\n")
    }

    @Test func `an id and a time to wait stand alone`() {
        var bytes = [UInt8]("before\n".utf8)
        EventStreamEncoder.id(into: &bytes) { $0.append(contentsOf: "k3f9-43".utf8) }
        EventStreamEncoder.end(into: &bytes)
        EventStreamEncoder.retry(milliseconds: 1500, into: &bytes)
        #expect(bytes.text == "before\nid: k3f9-43\n\nretry: 1500\n\n")
    }

    @Test(arguments: ["\n", "\r", "\r\n", "\n\n"])
    func `no value can end its line and begin another field`(lineBreak: String) {
        let attack = "a\(lineBreak)data: forged\(lineBreak)\(lineBreak)"
        #expect(event(attack, data: "1") == "event: adata: forged\ndata: 1\n\n")
        #expect(event(id: attack, data: "1") == "id: adata: forged\ndata: 1\n\n")
        #expect(event(data: attack) == "data: adata: forged\n\n")
    }

    @Test func `a line break is found at every place of a value`() {
        for count in 1...40 {
            for place in 0..<count {
                var value = [UInt8](repeating: UInt8(ascii: "x"), count: count)
                value[place] = place % 2 == 0 ? UInt8.lineFeed : UInt8.carriageReturn
                var line = [UInt8]("state:".utf8)
                EventStreamEncoder.append(to: &line) { $0 += value }
                #expect(line.count == count + 5 && !line.contains(value[place]))
            }
        }
    }
}
