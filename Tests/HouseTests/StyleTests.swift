import Foundation
import Testing

@Suite struct `The style` {
    @Test func `no file is longer than it can be read in one sitting`() throws {
        for file in try Repository.swiftFiles(under: "Sources") {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 500, "\(file.lastPathComponent) has \(lines.count) lines")
        }
    }

    @Test(arguments: [
        "try!", "as!", "fatalError(", "NSLock", "DispatchQueue", "Task.detached", "TODO", "FIXME",
    ])
    func `sources do without shortcuts`(shortcut: String) throws {
        for file in try Repository.swiftFiles(under: "Sources") {
            let text = try String(contentsOf: file, encoding: .utf8)
            let code = text.split(separator: "\n").filter {
                !$0.drop(while: { $0 == " " }).hasPrefix("//")
            }
            #expect(
                !code.contains { $0.contains(shortcut) },
                "\(file.lastPathComponent) holds \(shortcut)")
        }
    }

    @Test func `tests wait for events, never for time`() throws {
        let sleeps = ["Thread" + ".sleep", "usle" + "ep(", "Task" + ".sleep"]
        for file in try Repository.swiftFiles(under: "Tests") {
            let text = try String(contentsOf: file, encoding: .utf8)
            for sleep in sleeps {
                #expect(!text.contains(sleep), "\(file.lastPathComponent) calls \(sleep)")
            }
        }
    }

    @Test func `pages load nothing from other hosts`() throws {
        let kinds: Set<String> = ["html", "css", "js"]
        for file in try Repository.files(under: "Public") where kinds.contains(file.pathExtension) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for mark in ["src=\"http", "href=\"http", "url(http", "from \"http", "@import"] {
                #expect(!text.contains(mark), "\(file.lastPathComponent) holds \(mark)")
            }
        }
    }
}
