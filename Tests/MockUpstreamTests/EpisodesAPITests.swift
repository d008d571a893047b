import Foundation
import Testing

@testable import MockUpstream

@Suite struct EpisodesAPITests {
    @Test func `there are enough shows, episodes, users and comments`() throws {
        var service = Service()
        let episodes = try service.list("/episodes")
        #expect(episodes.count >= 12)
        #expect(Set(episodes.compactMap { $0["show"] as? String }).count == 5)
        #expect(Set(episodes.compactMap { $0["id"] as? String }).count == episodes.count)
        var comments = 0
        for user in Catalogue.users {
            comments += try service.list("/users/\(user.id)/comments").count
        }
        #expect(Catalogue.users.count == 4)
        #expect(comments == 20)
    }

    @Test func `the list is sorted by release date, which lies ahead`() throws {
        var service = Service()
        let dates = try service.list("/episodes").compactMap { $0["releaseDate"] as? String }
        #expect(dates == dates.sorted())
        #expect(dates.first == "2027-01-15T08:02:00.000Z")
    }

    @Test(arguments: [("TIN har", 3), ("orbit", 3), ("&", 3), ("", 14), ("zzz", 0)])
    func `a query finds a part of the show's title in any case`(_ query: String, _ count: Int)
        throws
    {
        var service = Service()
        #expect(try service.list("/episodes", ["query": query]).count == count)
    }

    @Test func `a summary and details have the documented members`() throws {
        var service = Service()
        let summary = try #require(service.list("/episodes").first)
        #expect(
            Set(summary.keys) == [
                "id", "show", "title", "season", "number", "releaseDate", "picture",
            ])
        let id = try #require(summary["id"] as? String)
        let details = try #require(service.get("/episodes/\(id)") as? [String: Any])
        #expect(Set(details.keys) == Set(summary.keys).union(["summary", "runtimeMinutes"]))
    }

    @Test func `every picture that is named lies among the pages, and no two are alike`() throws {
        var service = Service()
        var paths = try service.list("/episodes").compactMap { $0["picture"] as? String }
        paths += Catalogue.users.map(\.picture)
        let pictures = try paths.map { path in
            let picture = try Picture.bytes(at: path)
            #expect(picture.count < 8_000)
            #expect(Picture.isWellFormed(picture), "\(path)")
            return picture
        }
        #expect(Set(pictures).count == paths.count)
    }

    @Test func `comments come newest first, and may be none`() throws {
        var service = Service()
        let comments = try service.list("/episodes/tin-harbour-2-3/comments")
        let dates = comments.compactMap { $0["postedAt"] as? String }
        #expect(dates.count == 4)
        #expect(dates == dates.sorted(by: >))
        #expect(try service.list("/episodes/ninth-cartographer-1-4/comments").isEmpty)
    }

    @Test func `a posted comment is answered, and comes first`() throws {
        var service = Service()
        let path = "/episodes/tin-harbour-2-3/comments"
        let body = #"{"userID":"mira","text":"That whistle!"}"#
        let answer = service.answer("POST", path, body: body)
        #expect(answer.status == 201)
        let comment = try answer.object()
        #expect(comment["id"] as? String == "c21")
        #expect(comment["text"] as? String == "That whistle!")
        #expect(comment["episodeTitle"] as? String == "Tin Harbour 2×03")
        #expect(comment["postedAt"] as? String == "2027-01-15T08:00:00.000Z")
        let author = try #require(comment["author"] as? [String: Any])
        #expect(author["name"] as? String == "Mira Okonjo")
        #expect(try service.list(path).first?["id"] as? String == "c21")
        #expect(try service.list("/users/mira/comments").first?["id"] as? String == "c21")
    }

    @Test func `a comment without a user is Ada's`() throws {
        var service = Service()
        let path = "/episodes/slow-orbit-1-9/comments"
        let comment = try service.answer("POST", path, body: #"{"text":"x"}"#).object()
        #expect((comment["author"] as? [String: Any])?["id"] as? String == "ada")
    }

    @Test(arguments: [
        ("", 400), ("[]", 400), ("{}", 400), (#"{"text":7}"#, 400), (#"{"text":""}"#, 422),
        (#"{"text":"  \n"}"#, 422), (#"{"text":"x","userID":"nobody"}"#, 422),
        ("{\"text\":\"\(String(repeating: "x", count: 2_001))\"}", 422),
    ])
    func `a bad comment is refused and changes nothing`(_ body: String, _ status: Int) throws {
        var service = Service()
        let path = "/episodes/tin-harbour-2-3/comments"
        #expect(service.answer("POST", path, body: body).status == status)
        #expect(try service.list(path).count == 4)
    }

    @Test func `comments are bounded: the oldest go`() throws {
        var service = Service()
        let path = "/episodes/slow-orbit-1-9/comments"
        for _ in 0..<(EpisodesAPI.commentLimit + 3) {
            _ = service.answer("POST", path, body: #"{"text":"x"}"#)
        }
        #expect(try service.list(path).count == EpisodesAPI.commentLimit)
    }
}

/// The pictures that the mock's data name.
enum Picture {
    /// The file below Public.
    static func bytes(at path: String) throws -> [UInt8] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: root.appending(path: "Public\(path)")))
    }

    /// Tags open and close in order.
    static func isWellFormed(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        var open: [Substring] = []
        for tag in text.split(separator: "<").map({ $0.prefix { $0 != ">" } }) {
            let name = tag.prefix { $0.isLetter || $0 == "/" }
            if name.hasPrefix("/") {
                guard open.popLast() == name.dropFirst() else { return false }
            } else if !tag.hasSuffix("/") {
                open.append(name)
            }
        }
        return open.isEmpty && text.hasPrefix("<svg xmlns=")
    }
}
