@testable import StateCoding

/// A document and patches for it, with line feeds between them; any of them may be anything.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
    let text = lines[0]
    let isJSON = (try? JSONValue(parsing: text.span, maximumDepth: 128)) != nil
    var document = PatchedDocument(text)
    var join = PatchJoin()
    for patch in lines.dropFirst() {
        var next = document
        guard (try? next.apply(patch.span)) != nil else { continue }
        document = next
        let isJoined = (try? join.append(patch.span)) != nil
        guard isJSON, isJoined else { return 0 }
        let bytes = document.bytes()
        precondition(
            (try? JSONValue(parsing: bytes.span, maximumDepth: 128)) != nil,
            "A patched document is one.")
    }
    // A container that was opened loses white space around its values.
    guard isJSON, !bytes.contains(where: { [0x20, 0x09, 0x0D].contains($0) }) else { return 0 }
    var again = PatchedDocument(text)
    let joined = join.bytes()
    precondition((try? again.apply(joined.span)) != nil, "Joined patches fit.")
    precondition(again.bytes() == document.bytes(), "Joined patches do what they do in order.")
    return 0
}
