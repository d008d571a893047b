/// Name, id and data of an event, separated by zeros: whatever they hold, a reader finds one event,
/// with the line breaks taken out.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return 0 }
    let name = String(decoding: parts[0], as: UTF8.self)
    let data = Array(parts[2])
    var stream: [UInt8] = []
    EventStreamEncoder.name(name, into: &stream)
    EventStreamEncoder.id(into: &stream) { $0.append(contentsOf: parts[1]) }
    EventStreamEncoder.data(data, into: &stream)
    EventStreamEncoder.end(into: &stream)
    let events = read(stream)
    precondition(events.count == 1, "One event.")
    precondition(events[0]["event"] == flat(Array(name.utf8)), "Its name.")
    precondition(events[0]["id"] == flat(Array(parts[1])), "Its id.")
    precondition(events[0]["data"] == flat(data), "Its data.")
    var line: [UInt8] = []
    SingleLine.append(data, to: &line)
    precondition(line == flat(data), "One line of JSON.")
    return 0
}

private func flat(_ bytes: [UInt8]) -> [UInt8] {
    bytes.filter { $0 != 0x0A && $0 != 0x0D }
}

/// Reads a stream as WHATWG HTML §9.2.6 does; of two fields of one name the last counts.
private func read(_ stream: [UInt8]) -> [[String: [UInt8]]] {
    var events: [[String: [UInt8]]] = []
    var event: [String: [UInt8]] = [:]
    let lines = stream.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }
    for line in lines {
        guard let colon = line.firstIndex(of: 0x3A) else {
            if !event.isEmpty { events.append(event) }
            event = [:]
            continue
        }
        var value = line[(colon + 1)...]
        if value.first == 0x20 { value = value.dropFirst() }
        event[String(decoding: line[..<colon], as: UTF8.self)] = Array(value)
    }
    return events
}
