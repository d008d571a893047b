/// One bound of a server under the name and in the units of an operator:
/// `statecast serve --limit body-bytes=2MiB --limit head-time=10s`.
package struct NamedLimit: Sendable {
    /// The operator's name of the bound: `body-bytes`.
    package let name: String
    /// The thing that it bounds, in a line.
    package let summary: String
    let place: Place

    /// The place of a bound in a configuration, and the way in which its values are written.
    struct Place: Sendable {
        let text: @Sendable (ServerConfiguration) -> String
        /// Sets the bound; false where the text is no value of it.
        let set: @Sendable (String, inout ServerConfiguration) -> Bool

        fileprivate init<Value>(
            _ path: Path<Value>, _ text: @escaping @Sendable (Value) -> String,
            _ read: @escaping @Sendable (String) -> Value?
        ) {
            self.text = { text($0[keyPath: path]) }
            set = { text, configuration in
                guard let value = read(text) else { return false }
                configuration[keyPath: path] = value
                return true
            }
        }
    }

    /// The bound of a name, if there is one.
    package static func named(_ name: some StringProtocol) -> NamedLimit? {
        all.first { $0.name == name }
    }

    /// The value that a configuration has, as `set` takes it.
    package func text(in configuration: ServerConfiguration) -> String {
        place.text(configuration)
    }

    /// Sets the bound; false where the text is no value of it.
    package func set(_ text: String, in configuration: inout ServerConfiguration) -> Bool {
        place.set(text, &configuration)
    }
}

extension NamedLimit.Place {
    typealias Path<Value> = any WritableKeyPath<ServerConfiguration, Value> & Sendable

    /// A number of bytes: `65536`, `64KiB`, `16MiB`.
    static func bytes(_ path: Path<Int>) -> Self {
        Self(path, text) { byteCount($0) }
    }

    /// A number of bytes up to 1 PiB, or `half` of what the process may have.
    static func memory(_ path: Path<Int?>) -> Self {
        Self(path, { $0.map(text) ?? "half" }) { word in
            word == "half" ? .some(nil) : byteCount(word, limit: 1 << 50).map(Optional.some)
        }
    }

    /// Bytes, 256 KiB or more in steps of 64 KiB: a thread's stack.
    static func pages(_ path: Path<Int>) -> Self {
        Self(path, text) { word in
            byteCount(word).flatMap { $0 >= 256 * 1024 && $0 % 65_536 == 0 ? $0 : nil }
        }
    }

    /// A number of things, at least the minimum.
    static func count(_ path: Path<Int>, minimum: Int) -> Self {
        Self(path, { "\($0)" }) { word in
            Int(word).flatMap { (minimum...1_000_000_000).contains($0) ? $0 : nil }
        }
    }

    /// A time: `500ms`, `20s`, `10m`, `24h`.
    static func time(_ path: Path<Duration>) -> Self {
        Self(path, text, time)
    }

    /// A time or `never`.
    static func timeOrNever(_ path: Path<Duration?>) -> Self {
        Self(path, { $0.map(text) ?? "never" }) { word in
            word == "never" ? .some(nil) : time(word).map(Optional.some)
        }
    }

    /// 0 to 1.
    static func share(_ path: Path<Double>) -> Self {
        Self(path, { "\($0)" }) { word in
            Double(word).flatMap { (0...1).contains($0) ? $0 : nil }
        }
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

    private static func text(_ byteCount: Int) -> String {
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
