package import ArgumentParser
import Bytes
import ClientWire
import Glibc
import HTTPClient
import Redux
import Sockets
import StateCoding
import StatecastClientCurl

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What all commands that ask a server take.
struct RemoteOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The URL of a session, or of an application: http://localhost:8080/counter/sessions/demo.",
            discussion: "Without http:// it is https, and http to this machine.", valueName: "url"),
        transform: { (text: String) throws(ValidationError) in try Address(parsing: text) })
    var address: Address

    @Option(help: "The session, where the URL is an application's.")
    var session: String?

    @OptionGroup var credentials: Credentials

    @Option(
        help: "The file of the certificates (PEM) that are trusted, and not the system's.",
        completion: .file())
    var caFile: String?

    @Option(help: "The seconds for which an answer is waited and asked for.")
    var timeout = 30.0

    @Flag(inversion: .prefixedNo, help: "Colours; by default on a terminal without NO_COLOR.")
    var color: Bool?

    @Flag(help: "Tell each request on standard error, without what may be secret.")
    var verbose = false

    mutating func validate() throws {
        if let session { try address.choose(session) }
        guard (0.1...86_400).contains(timeout) else {
            throw ValidationError("--timeout is 0.1 to 86400 seconds.")
        }
    }

    var terminal: Terminal {
        Terminal(
            isTerminal: isatty(1) == 1, isColored: color,
            isVerbose: verbose, environment: ProcessInfo.processInfo.environment)
    }

    /// The server, to be asked as the one whom the options name.
    @MainActor func remote() throws -> Remote {
        let terminal = terminal
        let now = Int(Date().timeIntervalSince1970)
        let fields = try credentials.fields(for: address, at: now) {
            terminal.tell("Warning: \($0)")
        }
        var configuration = HTTPClientConfiguration()
        configuration.trustedFile = caFile
        if let caFile { _ = try TextFile.text(of: caFile) }
        return Remote(
            over: try CurlTransport(OutboundClient(configuration: configuration)), fields,
            patience: .seconds(timeout), terminal)
    }
}

/// A command that asks a server: what stands in its way ends it with a sentence and a status.
protocol RemoteCommand: AsyncParsableCommand, Sendable {
    var options: RemoteOptions { get }

    @MainActor func perform(on remote: Remote) async throws
}

extension RemoteCommand {
    func run() async throws {
        do {
            try ProcessEnd.obeySignals()
            try await perform(on: options.remote())
        } catch let problem as MirrorProblem {
            let places = problem.pointers.filter { !$0.isEmpty }.joined(separator: ", ")
            options.terminal.tell(
                "Error: \(problem.detail)\(places.isEmpty ? "" : " (\(places))") [\(problem.code)]")
            throw ExitCode(ExitReason(problem).rawValue)
        }
    }
}

/// The commands, for an executable to have.
package enum RemoteCommands {
    package static let all: [any ParsableCommand.Type] = [
        DispatchCommand.self, StateCommand.self, WatchCommand.self, TailCommand.self,
        SessionsCommand.self, RecordCommand.self, PlaybackCommand.self,
    ]
}

/// A server as a command asks it: again where the protocol allows it, as long as the person waits.
@MainActor final class Remote {
    let transport: any Transport
    let fields: [String: String]
    let patience: Duration
    let terminal: Terminal
    /// The pause after a first failure, in milliseconds.
    private let leastPause: Int
    private let clock = ContinuousClock()
    private var random = SystemRandomNumberGenerator()
    /// There is a server: that it cannot be reached now is no mistake in the URL.
    private(set) var hasAnswered = false

    init(
        over transport: any Transport, _ fields: [String: String], patience: Duration,
        _ terminal: Terminal, leastPause: Int = 500
    ) {
        (self.transport, self.fields, self.patience) = (transport, fields, patience)
        (self.terminal, self.leastPause) = (terminal, leastPause)
    }

    func get(_ url: String) async throws(MirrorProblem) -> ClientAnswer {
        try await ask(ClientRequest("GET", url, fields: fields))
    }

    /// The answer of success. The request is one that may be sent twice: a GET, a PUT, or a POST with a key.
    ///
    /// - Parameter more: the time that the server is asked to take, beyond the person's patience.
    func ask(
        _ request: ClientRequest, more: Duration = .zero
    ) async throws(MirrorProblem) -> ClientAnswer {
        let end = clock.now + patience + more
        var (failures, isInDoubt) = (0, false)
        while true {
            let problem: MirrorProblem
            switch await answer(to: request, within: end - clock.now) {
            case .success(let answer) where (200..<300).contains(answer.status): return answer
            case .success(let answer): problem = MirrorProblem(answer)
            case .failure(let failure): problem = failure
            }
            isInDoubt = isInDoubt || request.method == "POST" && problem.leavesDoubt
            let pause = problem.delay(
                after: failures, atLeast: leastPause, using: &random)
            guard problem.reaction == .again, !Task.isCancelled,
                hasAnswered || problem.code != "not-connected",
                clock.now + pause < end
            else {
                throw isInDoubt && !problem.speaksOfKey
                    ? MirrorProblem(unknownFor: problem) : problem
            }
            terminal.tell("Trying again: \(problem.detail)")
            failures += 1
            // Whoever has cancelled the task asks no more.
            try? await clock.sleep(for: pause)
        }
    }

    /// The answer to one attempt.
    func answer(
        to request: ClientRequest, within limit: Duration
    ) async -> Result<ClientAnswer, MirrorProblem> {
        let names = request.fields.keys.sorted().joined(separator: ", ")
        terminal.note(
            "> \(request.method) \(request.target)\(names.isEmpty ? "" : " with \(names)")")
        let result = await transport.answer(to: request, within: limit, by: clock)
        if case .success(let answer) = result {
            hasAnswered = true
            terminal.note("< \(answer.status)")
        }
        return result
    }
}

extension JSONValue {
    /// Reads what a server has sent, unless the code says whose fault it is.
    static func parsing(
        _ bytes: [UInt8], code: String = "not-http", status: Int = 0
    ) throws(MirrorProblem) -> JSONValue {
        do throws(DecodingFailure) {
            return try JSONValue(written: bytes.span)
        } catch {
            throw MirrorProblem(code, "This is no JSON: \(error.detail)", status: status)
        }
    }

    /// The value as one line.
    var line: String { String(decoding: JSONText.compact(json.span), as: UTF8.self) }
}

extension ClientAnswer {
    /// The query of the page behind this one (RFC 8288): a link names no other place.
    var next: String? {
        guard let link = fields["link"], link.contains(#"rel="next""#) else { return nil }
        return link.firstIndex(of: "?").map { String(link[$0...].prefix { $0 != ">" }) }
    }
}
