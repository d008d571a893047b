import HTTPTypes
import Synchronization
import Testing

@testable import HTTPClient

@Suite struct OwnerTests {
    /// A request of an owner, which `/held` answers never and other paths at once.
    private static func start(
        _ path: String, of owner: String?, on client: OutboundClient, _ server: RawServer
    ) -> Task<HTTPClientError?, Never> {
        Task {
            var request = OutboundRequest(url: server.url(path))
            request.owner = owner
            do throws(HTTPClientError) {
                _ = try await client.execute(request)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Tells of each request that it was asked for, and leaves `/held` without an answer.
    private static func server(_ asked: Events<String>) -> RawServer {
        RawServer { connection, _ in
            while let request = connection.receiveRequest() {
                let path = request.split(separator: " ")[1]
                asked.report(String(path))
                guard path != "/held" else { return connection.waitForClose() }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
    }

    @Test func `an owner whose requests all hang delays no other one`() async throws {
        let asked = Events<String>()
        let server = Self.server(asked)
        try await withClient({
            $0.transferLimit = 4
            $0.ownerTransferLimit = 2
        }) { client in
            let greedy = (0..<30).map { _ in Self.start("/held", of: "greedy", on: client, server) }
            for _ in 0..<2 { #expect(await asked.next() == "/held") }
            for number in 0..<20 {
                let path = "/\(number)"
                let end = await Self.start(path, of: "modest-\(number % 3)", on: client, server)
                    .value
                #expect(end == nil)
                #expect(await asked.next() == path)
            }
            for task in greedy { task.cancel() }
            for task in greedy { #expect(await task.value == .cancelled) }
        }
    }

    @Test func `beyond its share an owner is refused by name, and others are not`() async throws {
        let asked = Events<String>()
        let server = Self.server(asked)
        try await withClient({
            $0.ownerTransferLimit = 1
            $0.ownerQueueLimit = 2
        }) { client in
            let first = Self.start("/held", of: "greedy", on: client, server)
            #expect(await asked.next() == "/held")
            // Of three more, two wait and one is refused, whichever comes last.
            let more = (0..<3).map { _ in Self.start("/held", of: "greedy", on: client, server) }
            let ends = await withTaskGroup(of: HTTPClientError?.self) { group in
                for task in more { group.addTask { await task.value } }
                var ends = [await group.next() ?? nil]
                #expect(await Self.start("/a", of: "modest", on: client, server).value == nil)
                #expect(await Self.start("/b", of: nil, on: client, server).value == nil)
                for task in [first] + more { task.cancel() }
                for await end in group { ends.append(end) }
                return ends
            }
            #expect(ends == [.ownerOverloaded(limit: 3), .cancelled, .cancelled])
            #expect(await first.value == .cancelled)
            #expect(await Self.start("/c", of: "greedy", on: client, server).value == nil)
        }
    }
}
