import HTTPServer
import Testing

@testable import Statecast

@Suite struct `A named limit` {
    /// All bounds of a configuration, as text, in their order.
    private func bounds(_ configuration: ServerConfiguration) -> [String] {
        [
            Mirror(reflecting: configuration.limits),
            Mirror(reflecting: configuration.sessionLimits),
            Mirror(reflecting: configuration.routeLimits),
        ].flatMap { $0.children.map { "\($0.value)" } }
    }

    @Test func `stands for every bound, each for one of its own`() {
        let plain = bounds(ServerConfiguration())
        var changed: Set<Int> = []
        for limit in NamedLimit.all {
            var configuration = ServerConfiguration()
            let isShare = limit.text(in: configuration).contains(".")
            let texts = isShare ? ["0.5"] : ["7", "7m", "7MiB"]
            #expect(texts.contains { limit.set($0, in: &configuration) })
            let indices = zip(plain, bounds(configuration)).enumerated()
                .filter { $0.element.0 != $0.element.1 }.map(\.offset)
            #expect(indices.count == 1, "\(limit.name)")
            changed.formUnion(indices)
        }
        #expect(changed.count == plain.count)
        #expect(Set(NamedLimit.all.map(\.name)).count == plain.count)
    }

    @Test(arguments: NamedLimit.all.map(\.name))
    func `takes what it tells`(name: String) throws {
        let limit = try #require(NamedLimit.named(name))
        var configuration = ServerConfiguration()
        let text = limit.text(in: configuration)
        #expect(limit.set(text, in: &configuration))
        #expect(limit.text(in: configuration) == text)
        #expect(bounds(configuration) == bounds(ServerConfiguration()))
    }

    @Test(arguments: [
        ("body-bytes", "2MiB", "2MiB"), ("body-bytes", "1000", "1000"),
        ("body-bytes", "2048", "2KiB"), ("head-time", "90s", "90s"),
        ("head-time", "120s", "2m"), ("head-time", "1500ms", "1500ms"),
        ("memory-bytes", "64GiB", "64GiB"), ("memory-bytes", "half", "half"),
        ("stream-age", "24h", "24h"), ("connection-age", "10m", "10m"),
        ("connection-age", "never", "never"),
        ("access-check-time", "never", "never"), ("access-check-time", "5s", "5s"),
        ("jitter", "0", "0.0"), ("client-actions", "100", "100"),
        ("session-actions", "none", "none"),
        ("compressed-streams", "0", "0"),
    ])
    func `has units`(name: String, text: String, told: String) throws {
        let limit = try #require(NamedLimit.named(name))
        var configuration = ServerConfiguration()
        #expect(limit.set(text, in: &configuration))
        #expect(limit.text(in: configuration) == told)
    }

    @Test func `takes no more keys than a journal tells`() throws {
        let limit = try #require(NamedLimit.named("idempotency-keys"))
        var configuration = ServerConfiguration()
        #expect(limit.set("100000", in: &configuration))
        #expect(!limit.set("100001", in: &configuration))
    }

    @Test func `of no such name is none`() {
        #expect(NamedLimit.named("bodybytes") == nil)
    }
}
