import Glibc
import HTTPTypes
import Testing

@testable import HTTPClient

/// A listening socket whose queue is full: further connections stay in the making.
final class FullServer: Sendable {
    private let server = RawServer(backlog: 0, nil)
    private let connections: [Int32]

    init() {
        let port = server.port
        connections = (0..<4).map { _ in RawServer.beginConnecting(to: port) }
    }

    deinit {
        for connection in connections { close(connection) }
    }

    var url: String { server.url() }
}

/// What a request ends with, nil if with an answer.
private func end(of request: OutboundRequest, on client: OutboundClient) async -> HTTPClientError? {
    do {
        _ = try await client.execute(request)
        return nil
    } catch {
        return error
    }
}

/// The same in a task of its own.
private func start(
    _ request: OutboundRequest, on client: OutboundClient
) -> Task<HTTPClientError?, Never> {
    Task { await end(of: request, on: client) }
}

@Suite struct CancellationTests {
    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func `a cancelled transfer closes its connection`(_ part: String) async throws {
        let events = Events<String>()
        let server = RawServer { connection, _ in
            _ = connection.receiveRequest()
            connection.send(part)
            events.report("asked")
            connection.waitForClose()
            events.report("closed")
        }
        try await withClient { client in
            let task = start(OutboundRequest(url: server.url()), on: client)
            #expect(await events.next() == "asked")
            task.cancel()
            #expect(await task.value == .cancelled)
            #expect(await events.next() == "closed")
        }
    }

    @Test func `a connection in the making is given up`() async throws {
        let server = FullServer()
        try await withClient { client in
            let task = start(OutboundRequest(url: server.url), on: client)
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }

    @Test func `a task cancelled before it asks sends nothing`() async throws {
        let server = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        try await withClient { client in
            let task = Task { () -> HTTPClientError? in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await end(of: OutboundRequest(url: server.url()), on: client)
            }
            #expect(await task.value == .cancelled)
        }
    }

    @Test func `beyond the queue's limit a request is refused, a waiting one can be cancelled`()
        async throws
    {
        let asked = Events<Int>()
        let server = RawServer { connection, _ in
            _ = connection.receiveRequest()
            asked.report(0)
            connection.waitForClose()
        }
        let limits: (inout HTTPClientConfiguration) -> Void = {
            $0.transferLimit = 1
            $0.queueLimit = 1
        }
        try await withClient(limits) { client in
            let request = OutboundRequest(url: server.url())
            let running = start(request, on: client)
            #expect(await asked.next() == 0)
            // Of two more, one waits and one is refused, whichever comes first.
            let both = [start(request, on: client), start(request, on: client)]
            let ends = await withTaskGroup(of: HTTPClientError?.self) { group in
                for task in both { group.addTask { await task.value } }
                var ends: [HTTPClientError?] = []
                ends.append(await group.next() ?? nil)
                for task in both { task.cancel() }
                ends.append(await group.next() ?? nil)
                return ends
            }
            #expect(ends == [.overloaded(limit: 2), .cancelled])
            running.cancel()
            #expect(await running.value == .cancelled)
        }
    }

    @Test func `waiting in the queue counts towards the total timeout`() async throws {
        let asked = Events<Int>()
        let server = RawServer { connection, _ in
            _ = connection.receiveRequest()
            asked.report(0)
            connection.waitForClose()
        }
        try await withClient({ $0.transferLimit = 1 }) { client in
            let running = start(OutboundRequest(url: server.url()), on: client)
            #expect(await asked.next() == 0)
            var request = OutboundRequest(url: server.url())
            request.totalTimeout = .milliseconds(30)
            #expect(await start(request, on: client).value == .timedOut)
            running.cancel()
            #expect(await running.value == .cancelled)
        }
    }

    @Test func `a freed place is given to the next in the queue`() async throws {
        let asked = Events<Int>()
        let server = RawServer { connection, index in
            _ = connection.receiveRequest()
            asked.report(index)
            if index > 0 { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
            connection.waitForClose()
        }
        try await withClient({ $0.transferLimit = 1 }) { client in
            let first = start(OutboundRequest(url: server.url()), on: client)
            #expect(await asked.next() == 0)
            let second = start(OutboundRequest(url: server.url()), on: client)
            first.cancel()
            #expect(await first.value == .cancelled)
            #expect(await second.value == nil)
        }
    }

    @Test func `shutdown ends what runs and refuses what comes`() async throws {
        let asked = Events<Int>()
        let server = RawServer { connection, _ in
            _ = connection.receiveRequest()
            asked.report(0)
            connection.waitForClose()
        }
        let client = try OutboundClient()
        let running = start(OutboundRequest(url: server.url()), on: client)
        #expect(await asked.next() == 0)
        await client.shutdown()
        #expect(await running.value == .shutDown)
        #expect(await start(OutboundRequest(url: server.url()), on: client).value == .shutDown)
        await client.shutdown()
    }

    @Test func `cancelling at any moment neither hangs nor answers twice`() async throws {
        let server = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        try await withClient({ $0.transferLimit = 8 }) { client in
            for round in 0..<200 {
                let task = start(OutboundRequest(url: server.url()), on: client)
                for _ in 0..<(round % 20) { await Task.yield() }
                task.cancel()
                let end = await task.value
                #expect(end == nil || end == .cancelled)
            }
        }
    }
}
