@testable import HTTPMessages

/// Two bytes that choose the limit and the cuts, then a body in chunks: whole, in parts and byte by
/// byte, with and without compacting, the same must come of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 2 else { return 0 }
    let input = UnsafeBufferPointer(start: start, count: count)
    let coded = Array(input[2...])
    let limit = Int(input[0])
    let whole = outcome(coded, limit, step: coded.count, compacts: false)
    let step = max(1, Int(input[1]) * coded.count / 256)
    precondition(whole == outcome(coded, limit, step: step, compacts: true), "In parts.")
    precondition(whole == outcome(coded, limit, step: 1, compacts: input[1] & 1 == 1), "Slowly.")
    return 0
}

private struct Outcome: Equatable {
    var body: [UInt8] = []
    var rest: Int?
    var error: RequestError?
}

private func outcome(_ coded: [UInt8], _ limit: Int, step: Int, compacts: Bool) -> Outcome {
    let before: [UInt8] = [1, 2, 3]
    var bytes = before
    var decoder = ChunkedDecoder(start: before.count, limit: limit)
    var taken = 0
    while taken < coded.count {
        let end = min(coded.count, taken + step)
        bytes += coded[taken..<end]
        taken = end
        do {
            switch try decoder.decode(&bytes) {
            case .needMore:
                if compacts { decoder.compact(&bytes) }
            case .complete(let end):
                precondition(Array(bytes[..<before.count]) == before, "What stands before stays.")
                let body = Array(bytes[before.count..<decoder.decodedEnd])
                precondition(body.count <= limit, "The limit holds.")
                return Outcome(body: body, rest: coded.count - taken + bytes.count - end)
            }
        } catch {
            return Outcome(error: error)
        }
    }
    return Outcome(body: Array(bytes[before.count..<decoder.decodedEnd]))
}
