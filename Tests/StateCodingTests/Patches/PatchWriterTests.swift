import Testing

@testable import StateCoding

struct PatchWriterTests {
    private func finished(_ write: (inout PatchWriter) -> Void) -> String {
        var writer = PatchWriter()
        write(&writer)
        return String(decoding: writer.finish().patch?.operations ?? [], as: UTF8.self)
    }

    @Test func `operations stand one behind the other, each with its path`() {
        let patch = finished { writer in
            let items = writer.enter(name: "items".utf8.span)
            let third = writer.enter(index: 3)
            writer.add(before: nil) { $0 += Array("7".utf8) }
            writer.leave(third)
            writer.remove()
            writer.leave(items)
            writer.replace { $0 += Array("{}".utf8) }
        }
        #expect(
            patch == #"[{"op":"add","path":"/items/3","value":7},{"op":"remove","path":"/items"},"#
                + #"{"op":"replace","path":"","value":{}}]"#)
    }

    @Test func `a member names the one behind it`() {
        let patch = finished { writer in
            let place = writer.enter(name: "a".utf8.span)
            writer.add(before: Array(#"\"b\""#.utf8)) { $0 += Array("1".utf8) }
            writer.leave(place)
        }
        #expect(patch == #"[{"op":"add","path":"/a","value":1,"before":"\"b\""}]"#)
    }

    @Test(arguments: [
        ("a/b", "/a~1b"), ("~", "/~0"), ("~1", "/~01"), (#"a\/b"#, "/a~1b"), (#"\\/"#, #"/\\~1"#),
        (#"\""#, #"/\""#), ("", "/"), ("é", "/é"),
    ])
    func `names are escaped as a pointer has them`(name: String, path: String) {
        let patch = finished { writer in
            let place = writer.enter(name: name.utf8.span)
            writer.remove()
            writer.leave(place)
        }
        #expect(patch == #"[{"op":"remove","path":"\#(path)"}]"#)
    }

    @Test func `without operations there is no patch, also where all were struck`() {
        #expect(finished { _ in }.isEmpty)
        let patch = finished { writer in
            let mark = writer.mark
            writer.remove()
            #expect(writer.exceeds(10, since: mark))
            writer.strike(since: mark)
        }
        #expect(patch.isEmpty)
    }

    @Test func `the bytes of a replacement are known before it is written`() {
        let patch = finished { writer in
            let place = writer.enter(name: "a".utf8.span)
            #expect(writer.replacementByteCount(of: 1) == 40)
            writer.replace { $0 += Array("1".utf8) }
            writer.leave(place)
        }
        #expect(patch.utf8.count == 40)
    }
}
