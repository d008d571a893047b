extension RequestVector {
    /// At the default limits: 32 KiB of head, 8 KiB of target, 100 fields.
    static let limits: [RequestVector] = [
        .taken("RFC 9110 §4.1", "a target of 8192 bytes", line("GET \(longPath(8192)) HTTP/1.1")) {
            $0.path = longPath(8192)
        },
        .refused(
            "RFC 9110 §15.5.15", "a target of 8193 bytes",
            line("GET \(longPath(8193)) HTTP/1.1"), 414),
        .refused(
            "RFC 9110 §15.5.15", "a target of 16384 bytes",
            line("GET \(longPath(16384)) HTTP/1.1"), 414),
        .refused("RFC 9110 §15.5.15", "a target without an end", "GET " + longPath(9000), 414),
        .refused(
            "RFC 9110 §8.6", "a length of 400 digits",
            post("Content-Length: " + String(repeating: "9", count: 400)), 413),
        .taken("RFC 6585 §5", "100 fields", fields(100)),
        .refused("RFC 6585 §5", "101 fields", fields(101), 431),
        .taken("RFC 6585 §5", "a head of 32768 bytes", sized(32_768)),
        .refused("RFC 6585 §5", "a head of 32769 bytes", sized(32_769), 431),
        .refused(
            "RFC 6585 §5", "a field without an end",
            "GET / HTTP/1.1\r\nA: " + String(repeating: "b", count: 33_000), 431),
        .refused(
            "RFC 6585 §5", "a bad field beyond the limit",
            "GET / HTTP/1.1\r\nA b: " + String(repeating: "b", count: 33_000) + "\r\n", 431),
    ]

    private static func longPath(_ count: Int) -> String {
        "/" + String(repeating: "a", count: count - 1)
    }

    private static func fields(_ count: Int) -> String {
        "GET / HTTP/1.1\r\nHost: a\r\n"
            + (1..<count).map { "F\($0): \($0)\r\n" }.joined() + "\r\n"
    }

    private static func sized(_ count: Int) -> String {
        let rest = "GET / HTTP/1.1\r\nHost: a\r\nA: \r\n\r\n"
        return "GET / HTTP/1.1\r\nHost: a\r\nA: "
            + String(repeating: "b", count: count - rest.utf8.count) + "\r\n\r\n"
    }
}
