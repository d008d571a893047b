import Testing

@testable import OutsideAPI

@Suite struct `A path of an outside API` {
    @Test(arguments: [
        ("e7", "/episodes/e7/comments"), ("...", "/episodes/.../comments"),
        (".a", "/episodes/.a/comments"), ("a/b", "/episodes/a%2Fb/comments"),
        ("../x", "/episodes/..%2Fx/comments"), ("%2e%2e", "/episodes/%252e%252e/comments"),
        ("a?b#c", "/episodes/a%3Fb%23c/comments"), ("a b\r\n", "/episodes/a%20b%0D%0A/comments"),
        ("å~_-", "/episodes/%C3%A5~_-/comments"), ("\0", "/episodes/%00/comments"),
    ])
    func `holds a segment as it is meant, whatever stands in it`(
        segment: String, path: String
    ) throws {
        #expect(try JSONUpstream.path(["episodes", segment, "comments"]) == path)
    }

    @Test(arguments: ["", ".", ".."])
    func `refuses a segment that no encoding makes harmless`(segment: String) {
        let error = UpstreamError(status: 404)
        for path in [["episodes", segment, "comments"], [segment], ["episodes", segment]] {
            #expect(throws: error) { try JSONUpstream.path(path) }
        }
        #expect(UpstreamError.message(for: error) == "The service does not know this.")
    }

    @Test func `holds values of its query, also empty and dotted ones`() throws {
        let path = try JSONUpstream.path(["places"], query: ["query": "a&b=..", "near": ""])
        #expect(path == "/places?query=a%26b%3D..&near=")
    }
}
