@testable import HTTPMessages

/// A value that stands in every field that is read: nothing traps, what is found is within bounds.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let value = [UInt8](UnsafeBufferPointer(start: start, count: count))
    var bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8)
    for name in ["If-None-Match", "Accept", "Accept-Encoding", "Prefer", "Range"] {
        bytes += Array("\(name): ".utf8) + value + Array("\r\n".utf8)
    }
    bytes += Array("\r\n".utf8)
    readTexts(value)
    var parser = RequestParser()
    guard (try? parser.parse(bytes.span)) == true else { return 0 }
    let head = parser.head
    let span = bytes.span
    _ = EntityTag.condition(.ifNoneMatch, of: head, in: span, current: Array("k3f9-42".utf8))
    for type in ["application/json", "text/event-stream"] {
        let weight = AcceptField.weight(ofType: type, head, in: span)
        precondition((0...1000).contains(weight), "A weight in thousandths.")
    }
    for coding in ["gzip", "identity"] {
        let weight = AcceptField.weight(ofCoding: coding, head, in: span)
        precondition((0...1000).contains(weight), "A weight in thousandths.")
    }
    precondition(
        (head.preference("wait", in: span)?.decimal(in: span) ?? 0) >= 0,
        "A wait that is not negative.")
    if let range = head.value(.range) {
        for length in [0, 1, 1000, Int.max] {
            guard case .part(let part) = ByteRange(range, in: span, length: length) else {
                continue
            }
            precondition(!part.isEmpty && part.upperBound <= length, "A part of what there is.")
        }
    }
    return 0
}

private func readTexts(_ value: [UInt8]) {
    let slice = Slice(0..<value.count)
    _ = Query(slice, in: value.span)
    if let key = slice.idempotencyKey(in: value.span) {
        precondition((1...128).contains(key.utf8.count), "A key within its bounds.")
    }
    guard let seconds = HTTPDate.parse(String(decoding: value, as: UTF8.self)) else { return }
    let text = HTTPDate.format(secondsSince1970: seconds)
    precondition(HTTPDate.parse(text) == seconds, "What is written reads as the same date.")
}
