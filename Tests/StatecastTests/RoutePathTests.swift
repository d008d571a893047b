import HTTPMessages
import Testing

@testable import Statecast

@Suite struct `The path of a route` {
    /// The parameters that a request's path has by this one; nil where it does not match, `[:]` with
    /// a mark where it matches and has no parameters that can be told.
    private func match(_ pattern: String, _ path: String) throws -> [String: String]? {
        let route = try #require(RoutePath(pattern))
        let bytes = Array(path.utf8)
        let slice = Slice(0..<bytes.count)
        guard route.matches(slice, in: bytes.span) else { return nil }
        return route.parameters(of: slice, in: bytes.span) ?? ["": "none"]
    }

    @Test(
        arguments: [
            ("/", "/", [:]), ("/", "", [:]), ("/", "/x", nil), ("/a", "/a", [:]),
            ("/a", "/a/", nil),
            ("/a", "/", nil), ("/a", "/ab", nil), ("/a", "/A", nil), ("/a", "/%61", nil),
            ("/a/b", "/a/b", [:]), ("/a/b", "/a", nil), ("/a/b", "/a//b", nil),
            ("/{x}", "/a", ["x": "a"]), ("/{x}", "/", nil), ("/{x}", "/a/b", nil),
            ("/hooks/{name}", "/hooks/mail", ["name": "mail"]), ("/hooks/{name}", "/hooks/", nil),
            ("/{a}/to/{b}", "/1/to/2", ["a": "1", "b": "2"]), ("/{a}/to/{b}", "/1/from/2", nil),
            ("/{x}", "/a%20b%C3%A4", ["x": "a bä"]), ("/{x}", "/a+b", ["x": "a+b"]),
            ("/{x}", "/%25", ["x": "%"]), ("/{x}", "/...", ["x": "..."]),
        ] as [(String, String, [String: String]?)])
    func `matches segment by segment`(
        pattern: String, path: String, expected: [String: String]?
    ) throws {
        #expect(try match(pattern, path) == expected)
    }

    @Test(arguments: [
        "/..", "/.", "/%2e%2E", "/%2E", "/a%2Fb", "/%2F", "/a%00", "/%FF", "/%C3%28",
    ])
    func `has no parameter that is more or less than one segment of text`(path: String) throws {
        #expect(try match("/{x}", path) == ["": "none"])
    }

    @Test(arguments: [
        "", "a", "a/b", "/a/", "//", "/a//b", "/{", "/}", "/{}", "/{a}b", "/a{b}", "/{a}/{a}",
        "/{a/b}", "/a b", "/ä", "/a?b", "/a#b", "/a%20b", "/.", "/a/..", "/{a b}", "/*", "/{a}{b}",
        String(repeating: "/a", count: 33),
    ])
    func `is refused where it is none`(text: String) {
        #expect(RoutePath(text) == nil)
    }

    @Test(arguments: [
        ["/a/{x}", "/b", "/a/c"], ["/a/{x}", "/a/c", "/b"], ["/b", "/a/{x}", "/a/c"],
        ["/b", "/a/c", "/a/{x}"], ["/a/c", "/a/{x}", "/b"], ["/a/c", "/b", "/a/{x}"],
    ])
    func `with more text comes first, in whatever order they are given`(texts: [String]) throws {
        let routes = texts.map { Route(.get, $0) { _ in RouteResponse(.ok) } }
        let table = try RouteTable(routes, mounts: [])
        let bytes = Array("/a/c".utf8)
        let found = table.find(Slice(0..<bytes.count), in: bytes.span)
        let place = try #require(found)
        #expect(table.places[place].path.text == "/a/c")
    }

    @Test func `with more text in front comes first`() throws {
        let texts = ["/a/{x}", "/{x}/b", "/{x}/{y}", "/a/b"]
        let routes = texts.map { Route(.get, $0) { _ in RouteResponse(.ok) } }
        let table = try RouteTable(routes, mounts: [])
        func found(_ path: String) -> String? {
            let bytes = Array(path.utf8)
            return table.find(Slice(0..<bytes.count), in: bytes.span).map {
                table.places[$0].path.text
            }
        }
        #expect(found("/a/b") == "/a/b")
        #expect(found("/a/c") == "/a/{x}")
        #expect(found("/c/b") == "/{x}/b")
        #expect(found("/c/d") == "/{x}/{y}")
        #expect(found("/c") == nil)
    }
}
