import Foundation
import FoundationNetworking
import Testing

@Suite(.serialized) struct `The bounds of the running server` {
    @Test func `are listed, and set by name`() throws {
        let list = try RunningProcess(Products.statecast, ["limits"])
        let line = try list.firstLine { $0.hasPrefix("body-bytes ") ? $0 : nil }
        #expect(line.contains(" 1MiB "))
        let server = try StatecastServer(["--limit", "target-bytes=1KiB"])
        let url = server.base
        let (fits, _) = try Curl.exchange(["\(url)/livez?\(String(repeating: "x", count: 900))"])
        #expect(fits.statusCode == 200)
        let (long, _) = try Curl.exchange(["\(url)/livez?\(String(repeating: "x", count: 1100))"])
        #expect(long.statusCode == 414)
    }

    @Test(arguments: ["body-bytes", "body-bytes=", "body-bytes=much", "nonsense=1"])
    func `are refused where they make no sense`(setting: String) throws {
        let refused = try RunningProcess(
            Products.statecast, ["serve", "--port", "0", "--journal", "memory", "--limit", setting])
        #expect(throws: ProcessEnded.self) { try refused.firstLine { _ in Bool?.none } }
        refused.process.waitUntilExit()
        #expect(refused.process.terminationStatus != 0)
    }

    @Test func `of the journal's bytes are a number with its unit`() throws {
        let refused = try Products.run(["serve", "--journal-bytes", "much"], input: "")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--journal-bytes is a number of bytes such as 500MiB"))
    }

    @Test func `the pages' policy is the operator's, with further places of pictures`() throws {
        let server = try StatecastServer([
            "--page-policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'",
            "--image-source", "https://images.example",
        ])
        let (page, _) = try Curl.exchange(["\(server.base)/"])
        #expect(
            page.value(forHTTPHeaderField: "Content-Security-Policy")
                == "default-src 'self'; img-src 'self' data: https://images.example; "
                + "frame-ancestors 'self'")
    }
}
