import Foundation
import FoundationNetworking
import Sockets
import Testing

/// Attacks on the process: it keeps answering, and its memory does not grow with them.
@Suite(.serialized) struct `The running server under attack` {
    private static let stateRequest = "GET /counter/sessions/s/state HTTP/1.1\r\n"

    private struct Target {
        let server: StatecastServer

        init(_ limits: [String] = []) async throws {
            server = try StatecastServer(
                ["--loops", "2"] + limits.flatMap { ["--limit", $0] }, delay: "0")
            _ = try await server.client.exchange("PUT", "/counter/sessions/s")
        }

        var host: String { "Host: 127.0.0.1:\(server.port)\r\n" }

        func connect() throws -> BlockingConnection { try BlockingConnection(port: server.port) }

        func isAnswering() throws -> Bool {
            let (answer, _) = try Curl.exchange([
                "\(server.base)/counter/sessions/s/state"
            ])
            return answer.statusCode == 200
        }

        /// Attacks once, so that all that is kept for good is there, then again and again:
        /// answers by how many bytes the process has grown since.
        func growth(over rounds: Int, _ attack: () throws -> Void) throws -> Int {
            try attack()
            let before = server.running.residentByteCount
            for _ in 0..<rounds {
                try attack()
                #expect(try isAnswering())
            }
            return server.running.residentByteCount - before
        }
    }

    @Test func `forgets clients that connect, say something and reset`() async throws {
        let target = try await Target()
        let starts = [
            "", "GET", Self.stateRequest, Self.stateRequest + target.host + "\r\n",
            "GET /counter/sessions/s/events HTTP/1.1\r\n\(target.host)\r\n",
            "POST /counter/sessions/s/actions HTTP/1.1\r\n\(target.host)Content-Length: 99999\r\n\r\nx",
            "GET /counter/sessions/s/state?wait=60 HTTP/1.1\r\n\(target.host)If-None-Match: *\r\n\r\n",
        ]
        let growth = try target.growth(over: 5) {
            for number in 0..<700 {
                let client = try target.connect()
                try client.resetOnClose()
                try? client.send(starts[number % starts.count])
            }
        }
        #expect(growth < 8 << 20)
        let session = "\(target.server.base)/counter/sessions/s"
        var watchers = ""
        for _ in 0..<1000 where !watchers.contains("\"watchers\":0,") {
            watchers = String(decoding: try Curl.exchange([session]).1, as: UTF8.self)
        }
        #expect(watchers.contains("\"watchers\":0,"))
    }

    @Test func `keeps little for requests that never end`() async throws {
        let target = try await Target(["head-time=500ms", "body-time=500ms", "idle-time=500ms"])
        let growth = try target.growth(over: 3) {
            let clients = try (0..<300).map { _ in try target.connect() }
            for (number, client) in clients.enumerated() {
                switch number % 3 {
                case 0: break
                case 1: try client.send(Self.stateRequest + target.host + "X-Slow: ")
                default:
                    try client.send(
                        "POST /counter/sessions/s/actions HTTP/1.1\r\n" + target.host
                            + "Content-Length: 1000000\r\n\r\n"
                            + String(repeating: "x", count: 10_000))
                }
            }
            #expect(try target.isAnswering())
            for client in clients { _ = try? client.receiveAll() }
        }
        #expect(growth < 8 << 20)
    }

    @Test func `keeps little for pipelines that nobody reads`() async throws {
        let target = try await Target(["write-time=500ms"])
        let requests = String(
            repeating: Self.stateRequest + target.host + "\r\n", count: 2_000)
        let growth = try target.growth(over: 3) {
            for _ in 0..<10 {
                let client = try target.connect()
                try client.limitReceiveBuffer(to: 4096)
                let bytes = [UInt8](requests.utf8)
                try? client.send(bytes)
            }
            #expect(try target.isAnswering())
        }
        #expect(growth < 16 << 20)
    }

    @Test func `without descriptors lets clients wait, and drops none`() async throws {
        let process = try RunningProcess(
            URL(filePath: "/bin/sh"),
            [
                "-c",
                "ulimit -n 64; exec \"$0\" serve --port 0 --loops 2 --journal memory --upstream http://127.0.0.1:9",
                Products.statecast.path,
            ])
        let port = try process.firstLine { line -> Int? in
            guard line.contains("serving on ") else { return nil }
            return line.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) }
        }
        let request = "GET /livez HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        var waiting = try (0..<150).map { _ in try BlockingConnection(port: port) }
        for client in waiting { try client.send(request) }
        var answered = 0
        while !waiting.isEmpty {
            // Those that were accepted first are answered first; each that leaves makes room.
            let client = waiting.removeFirst()
            let answer = String(decoding: try client.receive(), as: UTF8.self)
            if answer.hasPrefix("HTTP/1.1 200") { answered += 1 }
        }
        #expect(answered == 150)
        #expect(process.terminate() == 0)
    }
}
