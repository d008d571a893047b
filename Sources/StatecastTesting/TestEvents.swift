public import Sockets

/// An event as a client dispatches it (WHATWG HTML §9.2.6).
public struct TestEvent: Sendable, Hashable {
    /// `message` where the stream names none.
    public var name = "message"
    /// The last id so far.
    public var id: String?
    /// The data, lines joined.
    public var data = ""
}

/// A stream of events, read one by one.
public final class TestEvents {
    private let connection: BlockingConnection
    private var unread = ""
    private var hasHead = false
    private var lastID: String?
    /// The head of the answer, once read.
    public private(set) var head = ""

    init(_ connection: BlockingConnection) {
        self.connection = connection
    }

    /// The next event; nil at the end of the stream. Throws when none comes within 10 s.
    public func next() throws(SystemError) -> TestEvent? {
        while true {
            if !hasHead, let end = unread.range(of: "\r\n\r\n") {
                head = String(unread[..<end.lowerBound])
                unread = String(unread[end.upperBound...])
                hasHead = true
            }
            if hasHead, let event = takeEvent() { return event }
            let bytes = try connection.receive(timeout: .seconds(10))
            if bytes.isEmpty { return nil }
            unread += String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The next event of a name.
    public func next(named name: String) throws(SystemError) -> TestEvent? {
        while let event = try next() {
            if event.name == name { return event }
        }
        return nil
    }

    private func takeEvent() -> TestEvent? {
        while let end = unread.range(of: "\n\n") {
            let block = unread[..<end.lowerBound]
            unread = String(unread[end.upperBound...])
            var event = TestEvent()
            var hasData = false
            for line in block.split(separator: "\n") {
                let sides = line.split(separator: ":", maxSplits: 1)
                let value = sides.count > 1 ? String(sides[1].drop { $0 == " " }) : ""
                switch sides.first {
                case "id": lastID = value
                case "event": event.name = value
                case "data":
                    event.data += hasData ? "\n" + value : value
                    hasData = true
                default: break
                }
            }
            event.id = lastID
            if hasData { return event }
        }
        return nil
    }
}

extension String {
    /// Where a text first stands.
    fileprivate func range(of text: String) -> Range<Index>? {
        ranges(of: text).first
    }
}
