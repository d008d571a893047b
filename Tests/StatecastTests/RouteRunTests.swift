import Counter
import CounterModel
import Sockets
import StatecastTesting
import Synchronization
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `A running route` {
    /// Waits until its task is cancelled.
    private static func waitForCancellation() async {
        let gate = Gate()
        await withTaskCancellationHandler {
            await gate.wait()
        } onCancel: {
            gate.open()
        }
    }

    @Test func `leaves the loop to others, and is answered in the order of its connection`()
        async throws
    {
        let (began, gate) = (Gate(), Gate())
        try await TestServer.run(serving: {
            Served("/counter", CounterApplication())
            Route(.get, "/slow") { _ in
                began.open()
                await gate.wait()
                return try .json("slow")
            }
            Route(.get, "/fast") { _ in try .json("fast") }
        }) { server async throws in
            let connection = try server.connect()
            let host = "HTTP/1.1\r\nHost: localhost\r\n"
            try connection.send(
                "GET /slow \(host)\r\nGET /fast \(host)\r\nGET /livez \(host)Connection: close\r\n\r\n"
            )
            await began.wait()
            #expect(try server.send("GET", "/livez").status == 200)
            #expect(try server.send("GET", "/fast").body == "\"fast\"")
            gate.open()
            let text = String(decoding: try connection.receiveAll(), as: UTF8.self)
            let places = ["\"slow\"", "\"fast\"", "alive"].map {
                text.firstRange(of: $0)?.lowerBound
            }
            #expect(!places.contains(nil))
            #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
        }
    }

    @Test func `is one of so many at once`() async throws {
        let (began, gate) = (Gate(), Gate())
        try await TestServer.run(
            changing: { $0.routeLimits.runningCount = 1 },
            serving: {
                Route(.get, "/slow/{name}") { _ in
                    began.open()
                    await gate.wait()
                    return RouteResponse(.noContent)
                }
            }
        ) { server async throws in
            let first = try server.open("GET", "/slow/first")
            await began.wait()
            let second = try server.send("GET", "/slow/second")
            #expect(second.status == 503)
            #expect(second.problem == "too-many-routes-running")
            #expect(second.fields["retry-after"] == "1")
            let metrics = try server.send("GET", "/metrics").body
            #expect(metrics.contains("\nstatecast_routes_running 1\n"))
            #expect(
                metrics.contains(
                    "\nstatecast_route_requests_total{route=\"GET /slow/{name}\"} 2\n"))
            #expect(!metrics.contains("/second"))
            gate.open()
            #expect(try first.answer().status == 204)
            #expect(try server.send("GET", "/slow/third").status == 204)
        }
    }

    @Test func `is one of a share of them for its client`() async throws {
        let (began, gate) = ((0..<16).map { _ in Gate() }, Gate())
        try await TestServer.run(
            changing: {
                ($0.routeLimits.runningCount, $0.clientAddressField) = (20, "x-real-ip")
            },
            serving: {
                Route(.get, "/hook/{number}", access: .open) { request in
                    if let number = request.parameters["number"].flatMap({ Int($0) }) {
                        began[number].open()
                        await gate.wait()
                    }
                    return RouteResponse(.noContent)
                }
            }
        ) { server async throws in
            var open: [TestRequest] = []
            func fields(_ network: Int) -> [String: String] {
                ["X-Real-IP": "192.0.\(network).1"]
            }
            for number in 0..<16 {
                open.append(try server.open("GET", "/hook/\(number)", fields: fields(2)))
                await began[number].wait()
            }
            let more = try server.send("GET", "/hook/more", fields: fields(2))
            #expect(more.status == 503 && more.problem == "too-many-routes-running")
            #expect(try server.send("GET", "/hook/other", fields: fields(3)).status == 204)
            gate.open()
            for request in open { #expect(try request.answer().status == 204) }
            #expect(try server.send("GET", "/hook/more", fields: fields(2)).status == 204)
        }
    }

    @Test func `is cancelled when its client has gone, and counts until it has ended`() async throws
    {
        let (began, cancelled, gate) = (Gate(), Gate(), Gate())
        try await TestServer.run(
            changing: { $0.routeLimits.runningCount = 1 },
            serving: {
                Route(.post, "/slow") { _ in
                    began.open()
                    await Self.waitForCancellation()
                    cancelled.open()
                    await gate.wait()
                    return RouteResponse(.noContent)
                }
                Route(.get, "/running") { _ in RouteResponse(.noContent) }
            }
        ) { server async throws in
            let connection = try server.connect()
            try connection.send(
                "POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            await began.wait()
            try connection.shutdownWrite()
            await cancelled.wait()
            #expect(try server.send("GET", "/running").status == 503)
            gate.open()
            var status = 503
            while status == 503 { status = try server.send("GET", "/running").status }
            #expect(status == 204)
        }
    }

    @Test func `is cancelled after its time, and its client is told`() async throws {
        let cancelled = Gate()
        try await TestServer.run(
            changing: { $0.routeLimits.duration = .milliseconds(20) },
            serving: {
                Route(.get, "/slow") { _ in
                    await Self.waitForCancellation()
                    cancelled.open()
                    return RouteResponse(.ok)
                }
            }
        ) { server async throws in
            let answer = try server.send("GET", "/slow")
            #expect(answer.status == 503)
            #expect(answer.problem == "route-timeout")
            await cancelled.wait()
        }
    }

    @Test(arguments: [true, false])
    func `is cancelled by a shutdown, and still gives its answer`(throwing: Bool) async throws {
        let began = Gate()
        var configuration = TestServer.configuration
        configuration.drainDuration = .seconds(30)
        let server = try Server(configuration) {
            Route(.get, "/slow") { _ in
                began.open()
                await Self.waitForCancellation()
                if throwing { try Task.checkCancellation() }
                return try .json("done")
            }
        }
        try server.start()
        let client = TestServer(server)
        let request = try client.open("GET", "/slow")
        await began.wait()
        await server.shutDown()
        let answer = try request.answer()
        #expect(answer.status == (throwing ? 503 : 200))
        #expect(throwing ? answer.problem == "shutting-down" : answer.body == "\"done\"")
    }

    @Test func `that fails is counted by its name`() async throws {
        struct Failure: Error {}
        try await TestServer.run(
            changing: { $0.logger.logLevel = .critical },
            serving: { Route(.get, "/bad/{id}") { _ in throw Failure() } }
        ) { server async throws in
            #expect(try server.send("GET", "/bad/7").status == 500)
            let metrics = try server.send("GET", "/metrics").body
            #expect(
                metrics.contains("\nstatecast_route_failures_total{route=\"GET /bad/{id}\"} 1\n"))
            #expect(metrics.contains("\nstatecast_routes_running 0\n"))
            #expect(metrics.hasSuffix("# EOF\n"))
        }
    }

    @Test func `of a server without routes leaves no row in its metrics`() async throws {
        try await TestServer.run(serving: { Served("/counter", CounterApplication()) }) {
            server async throws in
            let metrics = try server.send("GET", "/metrics").body
            #expect(!metrics.contains("route"))
        }
    }
}
