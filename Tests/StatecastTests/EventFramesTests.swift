import Sockets
import Testing

@testable import HTTPServer
@testable import Statecast

@Suite struct `The frames of a stream` {
    private func text(_ frame: StreamFrame) -> String {
        String(decoding: frame.chunk.bytes[frame.payloadRange], as: UTF8.self)
    }

    private let token = Array("k3f9-42".utf8)
    private let json = SharedBytes(Array(#"{"a":1}"#.utf8))

    @Test func `are an event with the token and the state, or a line of both`() {
        #expect(
            text(EventFrames.event(json, id: token))
                == "id: k3f9-42\ndata: {\"a\":1}\n\n")
        #expect(
            text(EventFrames.line(json, token: token, version: 42))
                == "{\"token\":\"k3f9-42\",\"version\":42,\"state\":{\"a\":1}}\n")
    }

    @Test func `say where there is no state`() {
        #expect(
            text(EventFrames.event(nil, id: token))
                == "event: out-of-scope\nid: k3f9-42\ndata: {}\n\n")
        #expect(
            text(EventFrames.line(nil, token: token, version: 42))
                == "{\"event\":\"out-of-scope\",\"token\":\"k3f9-42\",\"version\":42}\n")
    }

    @Test func `may be an id alone, or a name alone`() {
        #expect(text(EventFrames.id(token, 42, .events)) == "id: k3f9-42\n\n")
        #expect(
            text(EventFrames.id(token, 42, .lines))
                == "{\"token\":\"k3f9-42\",\"version\":42}\n")
        #expect(
            text(EventFrames.control("end", token, 42, .events)) == "event: end\ndata: {}\n\n")
        #expect(
            text(EventFrames.control("end", token, 42, .lines))
                == "{\"event\":\"end\",\"token\":\"k3f9-42\",\"version\":42}\n")
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `hold no line break but their own, whatever the state is`(lineBreak: String) {
        let broken = SharedBytes(Array("{\"a\":\(lineBreak)id: 1\(lineBreak)\(lineBreak)}".utf8))
        #expect(
            text(EventFrames.event(broken, id: token))
                == "id: k3f9-42\ndata: {\"a\":id: 1}\n\n")
        let line = text(EventFrames.line(broken, token: token, version: 42))
        #expect(line.unicodeScalars.count { $0 == "\n" || $0 == "\r" } == 1)
        let id = text(EventFrames.id(Array("k3\(lineBreak)f9-42".utf8), 42, .events))
        #expect(id == "id: k3f9-42\n\n")
    }
}
