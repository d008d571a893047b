@testable import HTTPServer
import RequestVectors
import Sockets
import Testing

/// The table of raw requests that the parser is tested with, sent over a socket.
@Suite struct ConformanceTests {
    @Test(arguments: [1, 64])
    func `a refusal of HEAD is one of GET without its content`(pieces: Int) async throws {
        try await TestServer.run { server in
            for vector in RequestVector.all where vector.isGetRefused {
                let whole = try answer(to: vector, inPieces: pieces, from: server)
                let head = try answer(to: vector.asHead, inPieces: pieces, from: server)
                let end = try #require(whole.firstRange(of: "\r\n\r\n"))
                #expect(whole.endIndex > end.upperBound, "\(vector)")
                #expect(undated(head) == undated(String(whole[..<end.upperBound])), "\(vector)")
            }
        }
    }

    @Test(arguments: [1, 64])
    func `every vector is answered as the table says, in one piece and in many`(
        pieces: Int
    ) async throws {
        try await TestServer.run { server in
            for vector in RequestVector.all {
                let answer = try answer(to: vector, inPieces: pieces, from: server)
                #expect(fault(of: answer, to: vector) == nil, "\(vector)")
            }
            #expect(try server.isAlive())
        }
    }

    /// All that comes back for a vector.
    private func answer(
        to vector: RequestVector, inPieces pieces: Int, from server: TestServer
    ) throws -> String {
        let client = try server.connect()
        let size = max(1, vector.bytes.count / pieces)
        for start in stride(from: 0, to: vector.bytes.count, by: size) {
            let end = min(start + size, vector.bytes.count)
            try client.send(Array(vector.bytes[start..<end]))
        }
        try client.shutdownWrite()
        return text(try client.receiveAll())
    }

    /// An answer without its field Date.
    private func undated(_ answer: String) -> [Substring] {
        answer.split(separator: "\r\n", omittingEmptySubsequences: false).filter {
            !$0.hasPrefix("Date: ")
        }
    }

    /// What is wrong with all that came back for a vector; nil when nothing is.
    private func fault(of answer: String, to vector: RequestVector) -> String? {
        let statuses = statuses(answer)
        switch vector.expectation {
        case .incomplete: return statuses.isEmpty ? nil : "answered: \(statuses)"
        case .refused(let status):
            let isRight = statuses == ["\(status)"] && answer.contains("Connection: close\r\n")
            return isRight ? nil : "not refused with \(status): \(statuses)"
        case .accepted(let head): return fault(of: answer, statuses, to: head)
        }
    }

    private func fault(
        of answer: String, _ statuses: [String], to head: RequestVector.Head
    ) -> String? {
        let final = statuses.first { $0 != "100" }
        if head.hasUnknownExpectation { return final == "417" ? nil : "not 417: \(statuses)" }
        switch head.body {
        case .length(let length) where length > HTTPLimits().bodyByteCount:
            return final == "413" ? nil : "not 413: \(statuses)"
        case .length(let length) where length > head.byteCountBehind:
            guard final == nil else { return "answered without its body: \(statuses)" }
            let isTold = statuses == ["100"]
            return isTold == head.expectsContinue ? nil : "told to continue: \(isTold)"
        case .chunked: return final == nil || final == "200" || final == "400" ? nil : "\(statuses)"
        case .none, .length: break
        }
        guard final == "200" else { return "not answered: \(statuses)" }
        let fields = answer.prefix(
            upTo: answer.firstRange(of: "\r\n\r\n")?.lowerBound ?? answer.endIndex)
        guard fields.contains("Connection: close") == !head.keepAlive else {
            return "the connection is kept, or is not"
        }
        let tells = fields.contains("Connection: keep-alive")
        return tells == (head.isHTTP10 && head.keepAlive) ? nil : "keep-alive: \(tells)"
    }
}
