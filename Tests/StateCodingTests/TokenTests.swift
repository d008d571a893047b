import Redux
import Testing

@testable import StateCoding

@Suite struct `A token` {
    @Test(arguments: ["k3f9-42", "a-0", "zzz-9007199254740992"])
    func `is read back as it was written`(text: String) throws {
        let token = try #require(Token(text))
        #expect(token.description == text)
        var bytes: [UInt8] = []
        Token.append(token.epoch, token.version, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test func `of a selection is that of its session`() {
        #expect(Token("k3f9-42.1x2y") == Token(epoch: "k3f9", version: 42))
    }

    @Test(arguments: [
        "", "-", "k3f9", "k3f9-", "-42", "k3f9-x", "k3f9-4-2", "k3f9-9007199254740993",
        "k3f9-18446744073709551615", "k3f9-18446744073709551616", "k-+-1", "k\r\n-1", "k 3-1",
    ])
    func `of another form is none`(text: String) {
        #expect(Token(text) == nil)
    }

    @Test func `has an epoch that no other session has`() {
        let epochs = (0..<1_000).map { _ in Step.randomEpoch() }
        #expect(Set(epochs).count == epochs.count)
        #expect(epochs.allSatisfy { $0.utf8.allSatisfy(SessionID.isAllowed) && $0.count == 12 })
    }
}
