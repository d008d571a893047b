/// One bound of a server under the name and in the units of an operator:
/// `statecast serve --limit body-bytes=2MiB --limit head-time=10s`.
package struct NamedLimit: Sendable {
    /// The operator's name of the bound: `body-bytes`.
    package let name: String
    /// The thing that it bounds, in a line.
    package let summary: String
    let place: Place

    /// The place of a bound in a configuration, and the way in which its values are written.
    package struct Place: Sendable {
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
        Self(path, { text($0, in: byteUnits) }) { byteCount($0) }
    }

    /// A number of bytes up to 1 PiB, or `half` of what the process may have.
    static func memory(_ path: Path<Int?>) -> Self {
        Self(path, { $0.map { text($0, in: byteUnits) } ?? "half" }) { word in
            word == "half"
                ? .some(nil) : byteCount(word, limit: 1 << 50).map(Optional.some)
        }
    }

    /// Bytes, 256 KiB or more in steps of 64 KiB: a thread's stack.
    static func pages(_ path: Path<Int>) -> Self {
        Self(path, { text($0, in: byteUnits) }) { word in
            byteCount(word)
                .flatMap { $0 >= 256 * 1024 && $0 % 65_536 == 0 ? $0 : nil }
        }
    }

    /// A number of things, from the minimum to the maximum.
    static func count(
        _ path: Path<Int>, minimum: Int, maximum: Int = 1_000_000_000
    ) -> Self {
        Self(path, { "\($0)" }) { word in
            Int(word).flatMap { (minimum...maximum).contains($0) ? $0 : nil }
        }
    }

    /// A number of things, 1 or more, or `none` where as many as may be.
    static func countOrNone(_ path: Path<Int?>) -> Self {
        Self(path, { $0.map { "\($0)" } ?? "none" }) { word in
            word == "none"
                ? .some(nil) : amount(word, in: [("", 1)], through: 1_000_000).map(Optional.some)
        }
    }

    /// A time up to a year: `500ms`, `20s`, `10m`, `24h`.
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

    /// From the smallest on.
    private typealias Units = [(name: String, size: Int)]
    private static let byteUnits: Units = [
        ("", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ]
    private static let timeUnits: Units = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]

    /// 1 byte to the limit, by default 1 GiB.
    package static func byteCount(_ text: String, limit: Int = 1 << 30) -> Int? {
        amount(text, in: byteUnits, through: limit)
    }

    /// 1 to the limit, in the smallest unit.
    private static func amount(_ text: String, in units: Units, through limit: Int) -> Int? {
        let unit = units.filter { text.hasSuffix($0.name) }.max { $0.name.count < $1.name.count }
        guard let unit, let number = Int(text.dropLast(unit.name.count)),
            (1...limit / unit.size).contains(number)
        else { return nil }
        return number * unit.size
    }

    private static func text(_ amount: Int, in units: Units) -> String {
        let unit = units.last { amount % $0.size == 0 && amount > 0 } ?? units[0]
        return "\(amount / unit.size)\(unit.name)"
    }

    private static func time(_ text: String) -> Duration? {
        amount(text, in: timeUnits, through: 366 * 24 * 3_600_000).map { .milliseconds($0) }
    }

    private static func text(_ time: Duration) -> String {
        text(Int(time / .milliseconds(1)), in: timeUnits)
    }
}
