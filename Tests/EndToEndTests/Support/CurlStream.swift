import Foundation

/// `curl -N` on an event stream: what a person sees in a terminal.
final class CurlStream {
    private let curl: RunningProcess

    init(_ url: String, _ arguments: [String] = []) throws {
        curl = try RunningProcess(
            URL(filePath: "/usr/bin/curl"), ["-sN", "--max-time", "120"] + arguments + [url])
    }

    /// The next state that the stream carries and that satisfies `condition`.
    func state(where condition: ([String: Any]) -> Bool) throws -> [String: Any] {
        try curl.firstLine { line in
            guard line.hasPrefix("data: "),
                let value = try? JSONSerialization.jsonObject(with: Data(line.dropFirst(6).utf8)),
                let state = value as? [String: Any], condition(state)
            else { return nil }
            return state
        }
    }

    /// The next line that `matches` turns into a value.
    func line<Value>(_ matches: (String) -> Value?) throws -> Value {
        try curl.firstLine(matches)
    }
}
