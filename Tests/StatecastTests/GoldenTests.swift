import Counter
import CounterModel
import Foundation
import HTTPServer
import Journaling
import Redux
import Sessions
import StateCoding
import StatecastTesting
import Testing

@testable import Statecast

/// The names and texts that clients and operators have learnt: each list is a file in `Golden`. One that
/// is not there is written, and the test fails that once.
@Suite(.onBothJournals) struct `The lists that others rely on` {
    private static func expect(
        _ lines: [String], in name: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/\(name)")
        let text = lines.joined(separator: "\n") + "\n"
        guard let golden = try? String(contentsOf: file, encoding: .utf8) else {
            try text.write(to: file, atomically: true, encoding: .utf8)
            Issue.record("\(name) was not there: look at it", sourceLocation: location)
            return
        }
        let expected = golden.split(separator: "\n", omittingEmptySubsequences: false)
        let actual = text.split(separator: "\n", omittingEmptySubsequences: false)
        for change in actual.difference(from: expected) {
            Issue.record("\(name): \(change)", sourceLocation: location)
        }
    }

    @Test func `limits: name, default, what is taken, meaning`() throws {
        let tried = [
            "0", "1", "7", "-1", "0.5", "2", "1000000001", "1KiB", "256KiB", "300KiB", "1GiB",
            "2GiB",
            "1025TiB", "1ms", "0s", "20s", "366h", "8785h", "half", "never", "",
            "none", "2048", "64KiB", "64GiB", "1MB", "MiB", "9999999999999999GiB", "9999999999GiB",
            "20",
            "90s",
            "120s", "1500ms", "10m", "s", "9999999999999999h", "many", "nan",
        ]
        let lines = NamedLimit.all.map { limit in
            var configuration = ServerConfiguration()
            let plain = limit.text(in: configuration)
            let taken = tried.filter { limit.set($0, in: &configuration) }
            let list = taken.joined(separator: " ")
            return "\(limit.name) | \(plain) | \(list) | \(limit.summary)"
        }
        try Self.expect(lines, in: "limits.txt")
    }

    @Test func `problems as they are sent`() throws {
        let pointer = JSONPointer(parsing: "/payload/a") ?? JSONPointer()
        let rejection = Rejection("too-far", "Not so far.")
        let fixed: [ProblemDetails] = [
            .sessionNotFound, .tooManyEndings, .sessionEnded, .outOfScope, .versionNotReached,
            .preconditionFailed, .sessionExists, ProblemDetails(.keyReused),
            ProblemDetails(.notKept(.unavailable)),
            ProblemDetails(.notKept(.busy)), .outcomeUnknown, .sessionMoved, .busy, .unreadable,
            .notEncodable,
            ProblemDetails(.tooManyKeys), .tooManySessions, .tooManyCalls, .tooManyWaiting,
            .jsonExpected, ProblemDetails(.noInput),
            .nothingToMatch, .partialPut, .badSessionID, .unknownHost, .crossOrigin,
            .unauthenticated, .undecodablePath, .forbidden, .tooManyRoutesRunning, .routeTimeout,
            .routeFailed, .requestTimeout, .notFound, .shuttingDown, .shortOfMemory,
            .unknownCoding, .methodNotImplemented, .versionNotShown,
        ]
        let made: [ProblemDetails] = [
            .bodyTooLarge(limit: 7), .failedPrecondition("Why."), .methodNotAllowed(allow: "GET"),
            .mediaTypeNotAccepted(""), .mediaTypeNotAccepted("image/*"),
            ProblemDetails(Refusal.frozen("Why.")),
            .badParameter("wait", "Why."), .versionGone(oldest: 3),
            ProblemDetails(rejection), ProblemDetails(rejection, index: 2),
            ProblemDetails(.tooOften(.atMost(2, per: .seconds(60), of: "a/b"), seconds: 31)),
            ProblemDetails(.stateTooLarge(limit: 7)), ProblemDetails(.stateAtLimit(seconds: 9)),
            .foreignRecording("Why."), .tooManyRecordings, .replay, .noReplay,
        ]
        let failures: [ActionFailure] = [
            .syntax(offset: 4, detail: "Why."), .tooDeep(limit: 128), .tooManyActions(limit: 100),
            .badEnvelope(pointer: pointer, detail: "Why."),
            .unknownType("x", nearest: ["y"], pointer: pointer),
            .unknownType("x", nearest: [], pointer: pointer),
            .badPayload(pointer: pointer, detail: "Why."),
            .factNotAllowed("x", pointer: pointer),
        ]
        let problems = fixed + made + failures.map { ProblemDetails($0, known: ["a", "b"]) }
        let lines = problems.map { problem in
            let code = problem.code.hasPrefix("rejected/") ? "rejected" : problem.code
            #expect(ProblemPage.named(code) != nil, "\(code) has no row in the article")
            var bytes: [UInt8] = []
            problem.write(to: &bytes)
            let retry = problem.retryAfterSeconds.map { " retry \($0)" } ?? ""
            return "\(problem.status.code)\(retry) \(String(decoding: bytes, as: UTF8.self))"
        }
        try Self.expect(lines, in: "problems.txt")
    }

    @Test func `pages of problems`() throws {
        let codes = ["body-too-large", "no-replay", "outcome-unknown", "rejected"]
        let lines = ProblemPage.all.filter { codes.contains($0.code) }
            .flatMap { page in ["== \(page.code)", page.html] }
        try Self.expect(lines, in: "problem-pages.txt")
    }

    @Test func `metrics: name, kind, help and labels`() async throws {
        try await TestServer.run(serving: {
            Served("/counter", CounterApplication())
            Route(.get, "/things/{name}") { _ in RouteResponse(.noContent) }
        }) { server in
            try server.create("/counter/sessions/demo")
            _ = try server.post("/counter/sessions/demo", #"{"type":"increment"}"#)
            let text = try server.send("GET", "/metrics").body
            let lines = text.split(separator: "\n").map { line in
                line.hasPrefix("#") ? String(line) : String(line.prefix { $0 != " " })
            }
            try Self.expect(lines, in: "metrics.txt")
        }
    }
}
