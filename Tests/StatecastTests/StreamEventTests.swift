import Sockets
import StateCoding
import Testing

@testable import HTTPServer
@testable import Statecast

@Suite struct `The frames of a stream` {
    private func text(_ frame: StreamFrame) -> String {
        String(decoding: frame.chunk.bytes[frame.payloadRange], as: UTF8.self)
    }

    private let events = StreamWatcher.Kind(hasPatches: false, isLines: false)
    private let lines = StreamWatcher.Kind(hasPatches: false, isLines: true)
    private let token = Array("k3f9-42".utf8)
    private let json = EncodedForm(json: Array(#"{"a":1}"#.utf8))

    @Test func `are an event with the token and the state, or a line of both`() {
        #expect(
            text(StreamEvent.state(json).frame(token, 42, events))
                == "id: k3f9-42\ndata: {\"a\":1}\n\n")
        #expect(
            text(StreamEvent.state(json).frame(token, 42, lines))
                == "{\"token\":\"k3f9-42\",\"version\":42,\"state\":{\"a\":1}}\n")
    }

    @Test func `say where there is no state`() {
        #expect(
            text(StreamEvent.state(nil).frame(token, 42, events))
                == "event: out-of-scope\nid: k3f9-42\ndata: {}\n\n")
        #expect(
            text(StreamEvent.state(nil).frame(token, 42, lines))
                == "{\"event\":\"out-of-scope\",\"token\":\"k3f9-42\",\"version\":42}\n")
    }

    @Test func `may be an id alone, or a name alone`() {
        #expect(text(StreamEvent.version.frame(token, 42, events)) == "id: k3f9-42\n\n")
        #expect(
            text(StreamEvent.version.frame(token, 42, lines))
                == "{\"token\":\"k3f9-42\",\"version\":42}\n")
        #expect(
            text(StreamEvent.control("end").frame(token, 42, events)) == "event: end\ndata: {}\n\n"
        )
        #expect(
            text(StreamEvent.control("end").frame(token, 42, lines))
                == "{\"event\":\"end\",\"token\":\"k3f9-42\",\"version\":42}\n")
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `hold no line break but their own, whatever the state is`(lineBreak: String) {
        let broken = EncodedForm(
            json: Array("{\"a\":\(lineBreak)id: 1\(lineBreak)\(lineBreak)}".utf8))
        #expect(
            text(StreamEvent.state(broken).frame(token, 42, events))
                == "id: k3f9-42\ndata: {\"a\":id: 1}\n\n")
        let line = text(StreamEvent.state(broken).frame(token, 42, lines))
        #expect(line.unicodeScalars.count { $0 == "\n" || $0 == "\r" } == 1)
        let id = text(StreamEvent.version.frame(Array("k3\(lineBreak)f9-42".utf8), 42, events))
        #expect(id == "id: k3f9-42\n\n")
    }
}
