@testable import HTTPServer
import Testing

@Suite struct StaticPathTests {
    @Test(arguments: [
        ("/", "", true), ("", "", true), ("/a", "a", false), ("/a/", "a", true),
        ("/a/b.html", "a/b.html", false), ("/%61.txt", "a.txt", false),
        ("/a%20b", "a b", false), ("/%C3%A9.txt", "é.txt", false), ("/a..b", "a..b", false),
        ("/a;b", "a;b", false), ("/~a", "~a", false),
    ])
    func `a plain path names a file`(path: String, relative: String, isDirectory: Bool) {
        let parsed = parse(path)
        #expect(parsed?.relative == relative)
        #expect(parsed?.isDirectory == isDirectory)
    }

    @Test(arguments: [
        "a", "//", "/a//b", "/..", "/../a", "/a/../b", "/a/..", "/.", "/./a", "/.git/config",
        "/a/.hidden", "/%2e%2e/a", "/%2E%2E", "/.%2e/a", "/a/%2e%2e/b", "/%2e", "/..%2fa",
        "/..%5ca", "/..\\a", "/a%2Fb", "/a%2f..%2fb", "/a%00b", "/%00", "/a%0ab", "/a%7f", "/%",
        "/%1", "/%zz", "/%c0%ae%c0%ae/a", "/%c0%af", "/%ff", "/%e0%80%af", "/a\\b", "/%5c",
        "/%252e%252e/%00",
    ])
    func `what hides a way out, or is no name, is nobody's path`(path: String) {
        #expect(parse(path) == nil)
    }

    @Test func `an escape is taken off once`() {
        #expect(parse("/%252e%252e")?.relative == "%2e%2e")
    }

    private func parse(_ path: String) -> StaticPath? {
        let bytes = [UInt8](path.utf8)
        return StaticPath(bytes.span)
    }
}
