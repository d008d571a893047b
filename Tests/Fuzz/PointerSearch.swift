@testable import StateCoding

/// Pointers with unit separators between them, a line feed, and a document that may be anything.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let end = bytes.firstIndex(of: 0x0A) ?? bytes.count
    let pointers = bytes[..<end].split(separator: 0x1F, omittingEmptySubsequences: false)
        .compactMap { JSONPointer(parsing: String(decoding: $0, as: UTF8.self)) }
    let document = Array(bytes[min(end + 1, bytes.count)...])
    let ranges = PointerTree(pointers).ranges(in: document.span)
    let isJSON = (try? JSONValue(parsing: document.span)) != nil
    for (pointer, range) in zip(pointers, ranges) {
        if let range { precondition(range.upperBound <= document.count, "A range in the bytes.") }
        check(pointer, document)
        guard isJSON else { continue }
        precondition(range == pointer.range(in: document.span), "One search finds what many do.")
    }
    return 0
}

private func check(_ pointer: JSONPointer, _ document: [UInt8]) {
    precondition(JSONPointer(parsing: pointer.description) == pointer, "Escaping loses nothing.")
    let range = pointer.range(in: document.span)
    if let range { precondition(range.upperBound <= document.count, "A range within the bytes.") }
    guard let parsed = try? JSONValue(parsing: document.span) else { return }
    var value: JSONValue? = parsed
    for token in pointer.tokens {
        if let elements = value?.elements {
            value = elements.indices.first { String($0) == token }.map { elements[$0] }
        } else {
            value = value?[token]
        }
    }
    precondition(value?.range == range, "The scanner and the parser find the same value.")
}
