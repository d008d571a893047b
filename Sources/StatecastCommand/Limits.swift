import ArgumentParser
import Statecast

/// Lists the bounds of `serve`.
struct Limits: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists every bound of the server with its default.",
        discussion: """
            Set one by `serve --limit name=value`. Bytes are 1000, 64KiB or 2MiB; times are 500ms, \
            20s, 10m or 24h.
            """)

    func run() {
        let defaults = ServerConfiguration()
        let names = NamedLimit.all.map(\.name.count).max() ?? 0
        for limit in NamedLimit.all {
            let name = Self.padded(limit.name, to: names)
            print("\(name)  \(Self.padded(limit.text(in: defaults), to: 8))  \(limit.summary)")
        }
    }

    static func padded(_ text: String, to count: Int) -> String {
        text + String(repeating: " ", count: max(0, count - text.count))
    }
}

/// One bound and its value, as an operator writes them: `body-bytes=2MiB`.
struct LimitSetting: ExpressibleByArgument {
    private let limit: NamedLimit
    private let value: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let limit = NamedLimit.named(parts[0]) else { return nil }
        self.limit = limit
        value = String(parts[1])
        var configuration = ServerConfiguration()
        guard set(in: &configuration) else { return nil }
    }

    /// Sets the bound; false where the value is none of it.
    @discardableResult
    func set(in configuration: inout ServerConfiguration) -> Bool {
        limit.set(value, in: &configuration)
    }
}
