import Foundation
import RandomPatches
import TemporaryFolder
import Testing

/// A patch with the documents before and after it, as one line of JSON.
struct PatchCase {
    let before: String
    let patch: String
    let after: String

    var line: String { "[\(before),\(patch),\(after)]" }

    /// Random ones, the same for the same seeds.
    static func random(
        seeds: Range<UInt64>, count: Int, hasIndices: Bool = true
    ) -> [PatchCase] {
        seeds.flatMap { seed in
            var walk = PatchWalk(seed: seed, hasIndices: hasIndices)
            return (0..<count).map { _ in
                let before = walk.document.text
                let patch = String(decoding: walk.patch(), as: UTF8.self)
                return PatchCase(before: before, patch: patch, after: walk.document.text)
            }
        }
    }
}

@Suite(.serialized) struct `A patch` {
    /// Compares texts, since for Python `1` and `True` are equal, and leaves out what jsonpatch
    /// refuses: to replace a member that is called `-`.
    private static let python = """
        import json, sys, jsonpatch
        def text(value): return json.dumps(value, sort_keys=True)
        count = hints = 0
        for line in open(sys.argv[1], encoding="utf-8"):
            before, patch, after = json.loads(line)
            if any(o["op"] == "replace" and o["path"].endswith("/-") for o in patch): continue
            count += 1
            hints += sum("before" in operation for operation in patch)
            if text(jsonpatch.apply_patch(before, patch)) != text(after): print("differs:", line)
        print("done", count > 1800, hints > 400)
        """

    /// RFC 6902 §4: members that it does not define are ignored.
    @Test func `gives Python's jsonpatch an equal value`() throws {
        let lines = PatchCase.random(seeds: 0..<40, count: 50).map(\.line)
        let folder = try TemporaryFolder(["cases": lines.joined(separator: "\n")])
        let python = try RunningProcess(
            URL(filePath: "/usr/bin/python3"), ["-c", Self.python, "\(folder.path)/cases"])
        #expect(try python.firstLine { $0 } == "done True True")
    }

    /// Follows a session by patches while it posts, and compares what it has with what the server has.
    private static let follower = """
        import json, sys, threading, urllib.request, jsonpatch
        session = sys.argv[1] + "/counter/sessions/python"
        urllib.request.urlopen(urllib.request.Request(session, method="PUT")).read()
        stream = urllib.request.urlopen(session + "/events?patch=json-patch")
        def post():
            for by in range(1, 51):
                body = json.dumps({"type": "incremented", "payload": {"by": by}}).encode()
                headers = {"Content-Type": "application/json"}
                urllib.request.urlopen(
                    urllib.request.Request(session + "/actions", body, headers)).read()
        threading.Thread(target=post).start()
        state, version, kind, patches = None, 0, None, 0
        while version < 50:
            line = stream.readline().decode().rstrip()
            if line.startswith("event: "): kind = line[7:]
            if not line.startswith("data: "): continue
            data = json.loads(line[6:])
            if kind == "snapshot": state = data["state"]
            if kind == "patch":
                assert data["from"] <= version < data["version"], (version, data)
                state, patches = jsonpatch.apply_patch(state, data["ops"]), patches + 1
            version = data.get("version", version)
        there = json.load(urllib.request.urlopen(session + "/state"))
        print("same" if there == state == {"count": 1275} and patches > 0 else (there, state))
        """

    @Test func `of a stream is followed by Python's jsonpatch`() throws {
        let server = try StatecastServer()
        let python = try RunningProcess(
            URL(filePath: "/usr/bin/python3"), ["-c", Self.follower, server.base])
        #expect(try python.firstLine { $0 } == "same")
    }

    @Test func `gives the JavaScript client an equal value, and changes none`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let lines = (0..<24 as Range<UInt64>).flatMap { seed in
            PatchCase.random(seeds: seed..<seed + 1, count: 12, hasIndices: seed % 4 == 0).map {
                "[\(seed % 4 == 0),\($0.line)]"
            }
        }
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        let script = Products.root.appending(path: "Tests/EndToEndTests/JavaScript/peers.mjs")
        let node = try RunningProcess(
            URL(filePath: "/usr/bin/env"), ["node", script.path, file.path])
        #expect(try node.firstLine { $0 } == "288 patches, 0 wrong")
    }
}
