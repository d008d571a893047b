import FoundationEssentials
@testable import StateCoding

/// A value with every kind of thing in it.
struct FuzzedState: Codable, Equatable {
    enum Tree: Codable, Equatable {
        case leaf
        case one(Int?)
        case two(String, Double)
        case named(a: Bool, b: UInt8?)
        indirect case many([Tree])
    }

    var tree: Tree?
    var list: [String]?
    var map: [String: Int]?
    var set: Set<Int>?
    var date: Date?
    var data: Data?
    var number: Decimal?
    var rest: [Int: [Tree?]]?
}

/// Strict JSON into a value; what is read must be written and read back the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let document = try? JSONValue(parsing: bytes.span) {
        precondition(document.range.upperBound <= count, "A range within the bytes.")
        _ = document.members?.map {
            document[$0.name].map { $0.tape.double(at: $0.index) }
        }
        _ = document.elements?.map(\.string)
    }
    guard let state = try? StateDecoder().decode(FuzzedState.self, from: bytes) else { return 0 }
    var first: [UInt8] = []
    var second: [UInt8] = []
    do {
        try StateEncoder().encode(state, into: &first)
        let again = try StateDecoder().decode(FuzzedState.self, from: first)
        try StateEncoder().encode(again, into: &second)
    } catch {
        preconditionFailure("What was read must be written and read back: \(error)")
    }
    precondition(first == second, "What was written must be written the same again.")
    return 0
}
