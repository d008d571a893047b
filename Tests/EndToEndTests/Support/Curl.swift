import Foundation
import FoundationNetworking

/// One request by the `curl` command.
enum Curl {
    /// The answer's head and body.
    static func exchange(_ arguments: [String]) throws -> (HTTPURLResponse, Data) {
        let output = try run(["-s", "-i", "--max-time", "60"] + arguments)
        guard let end = output.range(of: Data("\r\n\r\n".utf8)) else {
            throw URLError(.badServerResponse)
        }
        let lines = String(decoding: output[..<end.lowerBound], as: UTF8.self)
            .components(separatedBy: "\r\n")
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[String(line[..<colon])] = line[line.index(after: colon)...]
                .trimmingCharacters(in: .whitespaces)
        }
        guard let status, let url = URL(string: arguments.last ?? ""),
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw URLError(.badServerResponse) }
        return (response, output[end.upperBound...])
    }

    /// What the command prints.
    static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return output.fileHandleForReading.readDataToEndOfFile()
    }
}
