/// A pointer, a line feed, and a document that may be anything.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let end = bytes.firstIndex(of: 0x0A) ?? bytes.count
    let text = String(decoding: bytes[..<end], as: UTF8.self)
    guard let pointer = JSONPointer(parsing: text) else { return 0 }
    precondition(JSONPointer(parsing: pointer.description) == pointer, "Escaping loses nothing.")
    let document = Array(bytes[min(end + 1, bytes.count)...])
    let range = pointer.range(in: document.span)
    if let range { precondition(range.upperBound <= document.count, "A range within the bytes.") }
    guard let parsed = try? JSONDocument(parsing: document.span) else { return 0 }
    var value: JSONValue? = parsed.root
    for token in pointer.tokens {
        if let elements = value?.elements {
            value = elements.indices.first { String($0) == token }.map { elements[$0] }
        } else {
            value = value?[token]
        }
    }
    precondition(value?.range == range, "The scanner and the parser find the same value.")
    return 0
}
