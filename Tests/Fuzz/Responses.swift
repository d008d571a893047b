@testable import HTTPMessages

/// Two bytes that choose the pieces and the limit of a line, then answers, which are an event stream
/// as well: whole, in pieces and byte by byte the same must come of them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 2 else { return 0 }
    let input = UnsafeBufferPointer(start: start, count: count)
    let bytes = Array(input[2...])
    let step = max(1, Int(input[0]) * bytes.count / 256)
    let slowly = answers(in: bytes, step: 1)
    precondition(answers(in: bytes, step: step) == slowly, "Answers in pieces.")
    precondition(answers(in: bytes, step: bytes.count) == slowly, "Answers at once.")
    let limit = Int(input[1])
    let blocks = blocks(in: bytes, limit, step: 1)
    precondition(Responses.blocks(in: bytes, limit, step: step) == blocks, "A stream in pieces.")
    precondition(
        Responses.blocks(in: bytes, limit, step: bytes.count) == blocks, "A stream at once.")
    return 0
}

private struct Answer: Equatable {
    var status: Int
    var fields: [String]
    var body: [UInt8]
}

/// The answers, and the error that ended them.
private func answers(in bytes: [UInt8], step: Int) -> ([Answer], ResponseError?) {
    var reader = ResponseReader()
    var answers: [Answer] = []
    let receive: ResponseReader.Receiver = { head, message, body in
        precondition(body.upperBound <= message.count, "A body lies in its message.")
        var fields: [String] = []
        head.forEachField(in: message) { name, value in
            fields.append("\(name.string(in: message)): \(value.string(in: message))")
        }
        answers.append(
            Answer(status: head.status, fields: fields, body: Slice(body).array(in: message)))
    }
    do throws(ResponseError) {
        for start in stride(from: 0, to: bytes.count, by: step) {
            let end = min(start + step, bytes.count)
            try reader.read(bytes.span.extracting(start..<end), receive)
        }
        try reader.end(receive)
        return (answers, nil)
    } catch {
        return (answers, error)
    }
}

/// The blocks of a stream, and a last one where a line was too long.
private func blocks(in bytes: [UInt8], _ limit: Int, step: Int) -> [EventStreamReader.Block] {
    var reader = EventStreamReader(limit: limit)
    var blocks: [EventStreamReader.Block] = []
    do throws(EventStreamParser.LineTooLong) {
        for start in stride(from: 0, to: bytes.count, by: step) {
            let end = min(start + step, bytes.count)
            try reader.read(bytes.span.extracting(start..<end)) { blocks.append($0) }
        }
    } catch {
        blocks.append(EventStreamReader.Block(event: nil, id: "too long"))
    }
    return blocks
}
