import Foundation
import TemporaryFolder
import Testing

@Suite(.serialized) struct `Sessions in files` {
    private static let path = "/counter/sessions/demo"
    private let folder = HotFolder("counter")

    private func serve(journal: String = "memory") throws -> StatecastServer {
        try StatecastServer(["--hot-reload", folder.root.path], journal: journal)
    }

    /// The file's text with another count, once the server has written it.
    private func edited(_ old: Int, _ new: Int) throws -> String {
        let text = try folder.wait(for: "demo.json") { $0.contains("\"count\": \(old)\n") }
        return text.replacing("\"count\": \(old)\n", with: "\"count\": \(new)\n")
    }

    @Test func `are set from an editor, and go on while it is open`() async throws {
        let server = try serve()
        _ = try await server.client.exchange("PUT", Self.path)
        let stream = try CurlStream("\(server.base)\(Self.path)/events")
        func see(_ count: Int) throws { _ = try stream.state { $0["count"] as? Int == count } }
        try see(0)
        try folder.writeInPlace("demo.json", "")
        try folder.replace("demo.json", by: try edited(0, 7))
        try see(7)
        try folder.writeInPlace("demo.json", try edited(7, 8))
        try see(8)
        // Somebody else is quicker than who has the file open.
        let late = try edited(8, 100)
        try await server.client.dispatch(Self.path, "incremented", ["by": 1])
        try see(9)
        _ = try edited(9, 0)
        try folder.replace("demo.json", by: late)
        _ = try folder.wait(for: "demo.error.txt") { $0.contains("has gone on to") }
        _ = try folder.wait(for: "demo.now.json") { $0.contains("\"count\": 9\n") }
        try await server.client.dispatch(Self.path, "incremented", ["by": 1])
        try see(10)
        _ = try folder.wait(for: "demo.now.json") { $0.contains("\"count\": 10\n") }
        #expect(folder.text("demo.json") == late)
        // They take what there is now, and write nonsense into it.
        try FileManager.default.removeItem(atPath: folder.path("demo.json"))
        try FileManager.default.moveItem(
            atPath: folder.path("demo.now.json"), toPath: folder.path("demo.json"))
        try folder.replace(
            "demo.json", by: try edited(10, 0).replacing("\"count\": 0", with: "\"count\": ten"))
        _ = try folder.wait(for: "demo.error.txt") { $0.hasPrefix("demo.json:4:15: ") }
        let wrong = try folder.wait(for: "demo.now.json") { $0.contains("\"count\": 10\n") }
        try folder.replace("demo.json", by: wrong.replacing("10\n", with: "\"ten\"\n"))
        _ = try folder.wait(for: "demo.error.txt") { $0.contains(":4:14: /state/count: ") }
        try folder.replace("demo.json", by: wrong.replacing("10\n", with: "11\n"))
        try see(11)
    }

    /// Shell commands that put one text in the place of another, each in its own way: another file in the
    /// place of the former one, the same file written anew, and the same in two steps.
    private static let editors = [
        #"vim -u NONE -es -c 'set backup' -c "%s/$1/$2/" -c wq "$0""#,
        #"vim -u NONE -es -c 'set backupcopy=yes' -c "%s/$1/$2/" -c wq "$0""#,
        #"sed -i "s/$1/$2/" "$0""#,
        #"printf '%s\n' ",s/$1/$2/" w q | ed -s "$0""#,
        #"text=$(sed "s/$1/$2/" "$0") && printf '%s' "${text%?}" >"$0" && echo '}' >>"$0""#,
    ].filter { command in
        let name = command.prefix { $0 != " " }
        return !["vim", "ed"].contains(name)
            || FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
    }

    @Test func `are set by every editor`() async throws {
        let server = try serve()
        _ = try await server.client.exchange("PUT", Self.path)
        try folder.writeInPlace("demo.json", "")
        for (index, editor) in Self.editors.enumerated() {
            _ = try edited(index, index)
            let (status, _, errors) = try Products.run(
                [
                    "-c", editor, folder.path("demo.json"), "\"count\": \(index)",
                    "\"count\": \(index + 1)",
                ], of: URL(filePath: "/bin/sh"))
            #expect(status == 0, "\(editor): \(errors)")
            _ = try folder.wait(for: "demo.json") { $0.contains("-\(index + 1)\"") }
            let state = try await server.client.send("GET", "\(Self.path)/state", nil)
            #expect(state["count"] as? Int == index + 1, "\(editor)")
            #expect(folder.text("demo.error.txt") == nil)
        }
    }

    @Test func `outlive the server, with what was edited meanwhile`() async throws {
        let journal = TemporaryFolder()
        do {
            let server = try serve(journal: journal.path)
            for path in [Self.path, "/counter/sessions/a.b"] {
                _ = try await server.client.exchange("PUT", path)
            }
            for name in ["demo.json", "a%2Eb.json"] { try folder.writeInPlace(name, "") }
            _ = try folder.wait(for: "a%2Eb.json") { $0.contains("\"count\": 0") }
            _ = try edited(0, 0)
            server.running.killNow()
        }
        let text = try edited(0, 5)
        try folder.replace("demo.json", by: text)
        let server = try serve(journal: journal.path)
        _ = try folder.wait(for: "demo.json") { $0.contains("-1\"") }
        let state = try await server.client.send("GET", "\(Self.path)/state", nil)
        #expect(state["count"] as? Int == 5)
        try await server.client.dispatch("/counter/sessions/a.b", "incremented", ["by": 2])
        _ = try folder.wait(for: "a%2Eb.json") { $0.contains("\"count\": 2") }
    }

    @Test func `are not begun with in a folder that is open to others, or behind a link`() throws {
        try folder.root.write("note", "")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.root.path)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.root.path)/link", withDestinationPath: folder.root.path)
        for (end, told) in [("", "make it 0700"), ("/link/", "is no folder, or a link to one")] {
            let (status, _, errors) = try Products.run([
                "serve", "--port", "0", "--journal", "memory", "--hot-reload",
                folder.root.path + end,
            ])
            #expect(status == 78 && errors.contains(told), "\(errors)")
        }
    }
}
