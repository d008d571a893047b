@testable import HTTPMessages

/// Two bytes that choose limits and cuts, then a request: whole, in two parts and byte by byte the
/// same must come of it, and every part of a head must lie within its bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 2 else { return 0 }
    let input = UnsafeBufferPointer(start: start, count: count)
    let bytes = Array(input[2...])
    var limits = RequestLimits()
    if input[0] & 1 == 1 {
        limits.headByteCount = Int(input[0])
        limits.targetByteCount = Int(input[0] >> 2)
        limits.fieldCount = Int(input[0] >> 5)
    }
    let whole = outcome(bytes, limits, step: bytes.count)
    let cut = outcome(bytes, limits, step: max(1, Int(input[1]) * bytes.count / 256))
    let slow = outcome(bytes, limits, step: 1)
    precondition(whole == cut && whole == slow, "Cutting makes no difference.")
    return 0
}

private enum Outcome: Equatable {
    case more
    case refused(RequestError)
    /// A head, by a hash of all that it says.
    case head(Int)
}

private func outcome(_ bytes: [UInt8], _ limits: RequestLimits, step: Int) -> Outcome {
    var parser = RequestParser(limits: limits)
    var end = 0
    while true {
        do throws(RequestError) {
            if try parser.parse(bytes.span.extracting(..<end)) {
                return .head(digest(parser.head, bytes.span))
            }
        } catch {
            return .refused(error)
        }
        if end == bytes.count { return .more }
        end = min(bytes.count, end + step)
    }
}

private func digest(_ head: RequestHead, _ bytes: Span<UInt8>) -> Int {
    precondition(head.byteCount <= bytes.count, "A head ends within the bytes.")
    var hasher = Hasher()
    func combine(_ slice: Slice) {
        hasher.combine(slice)
        precondition(slice.range.upperBound <= head.byteCount, "A part lies within the head.")
    }
    for part in [head.methodName, head.target, head.path, head.query, head.authority] {
        combine(part)
    }
    head.forEachField(in: bytes) { name, value in
        precondition(!name.isEmpty, "A field has a name.")
        combine(name)
        combine(value)
    }
    for field in KnownField.allCases { combine(head.value(field) ?? .empty) }
    hasher.combine(head.method)
    hasher.combine(head.version)
    hasher.combine(head.body)
    hasher.combine(head.byteCount)
    hasher.combine([
        head.keepAlive, head.expectsContinue, head.hasUnknownExpectation, head.isAsterisk,
    ])
    return hasher.finalize()
}
