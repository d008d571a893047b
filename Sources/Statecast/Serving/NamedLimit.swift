/// One bound of a server under the name and in the units of an operator:
/// `statecast serve --limit body-bytes=2MiB --limit head-time=10s`.
package struct NamedLimit: Sendable {
    /// The place of a bound in a configuration.
    typealias Path<Value> = any WritableKeyPath<ServerConfiguration, Value> & Sendable

    /// The place of the bound, and the kind of its values.
    enum Place: Sendable {
        /// A number of bytes: `65536`, `64KiB`, `16MiB`.
        case bytes(Path<Int>)
        /// A number of bytes up to 1 PiB, or `half` of what the process may have.
        case memory(Path<Int?>)
        /// Bytes, 256 KiB or more in steps of 64 KiB: a thread's stack.
        case pages(Path<Int>)
        /// A number of things, at least the minimum.
        case count(Path<Int>, minimum: Int)
        /// A time: `500ms`, `20s`, `10m`, `24h`.
        case time(Path<Duration>)
        /// A time or `never`.
        case timeOrNever(Path<Duration?>)
        /// 0 to 1.
        case share(Path<Double>)
    }

    /// The operator's name of the bound: `body-bytes`.
    package let name: String
    /// The thing that it bounds, in a line.
    package let summary: String
    let place: Place

    /// The bound of a name, if there is one.
    package static func named(_ name: some StringProtocol) -> NamedLimit? {
        all.first { $0.name == name }
    }

    /// The value that a configuration has, as `set` takes it.
    package func text(in configuration: ServerConfiguration) -> String {
        switch place {
        case .bytes(let path), .pages(let path):
            Self.text(byteCount: configuration[keyPath: path])
        case .memory(let path): configuration[keyPath: path].map(Self.text(byteCount:)) ?? "half"
        case .count(let path, _): String(configuration[keyPath: path])
        case .time(let path): Self.text(configuration[keyPath: path])
        case .timeOrNever(let path): configuration[keyPath: path].map(Self.text) ?? "never"
        case .share(let path): String(configuration[keyPath: path])
        }
    }

    /// Sets the bound. Throws `NamedLimitError` for what is no value of it.
    package func set(
        _ text: String, in configuration: inout ServerConfiguration
    ) throws(NamedLimitError) {
        switch place {
        case .bytes(let path):
            guard let count = Self.byteCount(text) else { throw expected("64KiB, 2MiB or 1000") }
            configuration[keyPath: path] = count
        case .memory(let path):
            let count = Self.byteCount(text, limit: 1 << 50)
            guard count != nil || text == "half" else { throw expected("512MiB, 4GiB or half") }
            configuration[keyPath: path] = count
        case .pages(let path):
            guard let count = Self.byteCount(text), count >= 256 * 1024, count % 65_536 == 0
            else { throw expected("256KiB, 1MiB or more") }
            configuration[keyPath: path] = count
        case .count(let path, let minimum):
            guard let count = Int(text), (minimum...1_000_000_000).contains(count) else {
                throw expected("a number from \(minimum)")
            }
            configuration[keyPath: path] = count
        case .time(let path):
            guard let time = Self.time(text) else { throw expected("500ms, 20s, 10m or 24h") }
            configuration[keyPath: path] = time
        case .timeOrNever(let path):
            let time = Self.time(text)
            guard time != nil || text == "never" else { throw expected("20s, 10m, 24h or never") }
            configuration[keyPath: path] = time
        case .share(let path):
            guard let share = Double(text), (0...1).contains(share) else {
                throw expected("a number from 0 to 1")
            }
            configuration[keyPath: path] = share
        }
    }

    private func expected(_ values: String) -> NamedLimitError {
        NamedLimitError(name: name, expected: values)
    }

    // MARK: Units

    private static let byteUnits = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
    private static let timeUnits = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]

    /// 1 byte to the limit, by default 1 GiB.
    private static func byteCount(_ text: String, limit: Int = 1 << 30) -> Int? {
        let unit = byteUnits.first { text.hasSuffix($0.0) }
        guard let number = Int(text.dropLast(unit?.0.count ?? 0)) else { return nil }
        let (count, overflow) = number.multipliedReportingOverflow(by: unit?.1 ?? 1)
        return !overflow && (1...limit).contains(count) ? count : nil
    }

    /// 1 ms to a year.
    private static func time(_ text: String) -> Duration? {
        let year = 366 * 24 * 3_600_000
        guard let unit = timeUnits.first(where: { text.hasSuffix($0.0) }),
            let number = Int(text.dropLast(unit.0.count)), (1...year).contains(number),
            number * unit.1 <= year
        else { return nil }
        return .milliseconds(number * unit.1)
    }

    private static func text(byteCount: Int) -> String {
        let unit = byteUnits.last { byteCount % $0.1 == 0 && byteCount > 0 }
        return unit.map { "\(byteCount / $0.1)\($0.0)" } ?? "\(byteCount)"
    }

    private static func text(_ time: Duration) -> String {
        let milliseconds =
            time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
        let unit = timeUnits.last { milliseconds % Int64($0.1) == 0 && milliseconds > 0 }
        return unit.map { "\(milliseconds / Int64($0.1))\($0.0)" } ?? "\(milliseconds)ms"
    }
}

/// A value that a bound cannot have.
package struct NamedLimitError: Error, Hashable, CustomStringConvertible {
    /// The bound's name.
    package let name: String
    /// The values that it can have.
    package let expected: String

    /// The remedy in words.
    package var description: String { "\(name) takes \(expected)." }
}
