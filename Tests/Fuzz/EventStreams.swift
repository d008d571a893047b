@testable import HTTPMessages

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
    EventStreamEncoder.data(into: &stream) { $0 += data }
    EventStreamEncoder.end(into: &stream)
    let blocks = blocks(in: stream, step: stream.count)
    precondition(blocks.count == 1, "One block.")
    precondition(blocks == EventStreams.blocks(in: stream, step: 1), "Byte by byte.")
    let event = blocks[0].event
    let wanted = text(flat(Array(name.utf8)))
    precondition(event?.name == (wanted.isEmpty ? "message" : wanted), "Its name.")
    precondition(blocks[0].id == text(flat(Array(parts[1]))), "Its id.")
    precondition(event?.data == text(flat(data)), "Its data.")
    var line: [UInt8] = []
    EventStreamEncoder.append(to: &line) { $0 += data }
    precondition(line == flat(data), "One line of JSON.")
    return 0
}

private func flat(_ bytes: [UInt8]) -> [UInt8] {
    bytes.filter { $0 != 0x0A && $0 != 0x0D }
}

private func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
}

private func blocks(in stream: [UInt8], step: Int) -> [EventStreamReader.Block] {
    var reader = EventStreamReader()
    var blocks: [EventStreamReader.Block] = []
    for start in stride(from: 0, to: stream.count, by: step) {
        let end = min(start + step, stream.count)
        do throws(EventStreamParser.LineTooLong) {
            try reader.read(stream.span.extracting(start..<end)) { blocks.append($0) }
        } catch {
            preconditionFailure("No line is too long.")
        }
    }
    return blocks
}
