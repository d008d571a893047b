/// Counts whole answers in what a connection receives, however it is cut (RFC 9112 §6.3, answers
/// with a Content-Length).
struct AnswerScanner {
    private static let marker = Array("content-length: ".utf8)
    private var unread: [UInt8] = []

    /// Takes what came; tells the status of each answer that is now complete.
    mutating func scan(_ bytes: Span<UInt8>, _ answered: (Int) -> Void) {
        for index in bytes.indices { unread.append(bytes[index]) }
        while let length = answerLength {
            guard unread.count >= length else { return }
            answered(status)
            unread.removeFirst(length)
        }
    }

    private var status: Int {
        guard unread.count > 12 else { return 0 }
        return unread[9..<12].reduce(0) { $0 * 10 + Int($1) - 48 }
    }

    /// The length of the first answer, once its head is there.
    private var answerLength: Int? {
        var headEnd = 3
        while headEnd < unread.count {
            if unread[headEnd] == 10, unread[headEnd - 1] == 13, unread[headEnd - 2] == 10,
                unread[headEnd - 3] == 13
            {
                return headEnd + 1 + contentLength(in: unread[..<headEnd])
            }
            headEnd += 1
        }
        return nil
    }

    private func contentLength(in head: ArraySlice<UInt8>) -> Int {
        let marker = Self.marker
        var start = 0
        while start + marker.count < head.count {
            if head[start] == 10, matches(marker, head, at: start + 1) {
                return head[(start + 1 + marker.count)...].prefix { $0 != 13 }
                    .reduce(0) { $0 * 10 + Int($1) - 48 }
            }
            start += 1
        }
        return 0
    }

    private func matches(_ marker: [UInt8], _ head: ArraySlice<UInt8>, at start: Int) -> Bool {
        guard start + marker.count <= head.count else { return false }
        for index in marker.indices where head[start + index] | 0x20 != marker[index] | 0x20 {
            return false
        }
        return true
    }
}
