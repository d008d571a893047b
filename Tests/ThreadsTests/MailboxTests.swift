import Synchronization
import Testing

@testable import Threads

@Suite struct MailboxTests {
    private final class Bell: Sendable {
        let count = Atomic(0)
    }

    @Test func `messages are taken together in their order, and the first one rings`() {
        let bell = Bell()
        let mailbox = Mailbox<Int> { bell.count.add(1, ordering: .relaxed) }
        for number in 1...3 { mailbox.post(number) }
        #expect(bell.count.load(ordering: .relaxed) == 1)
        #expect(mailbox.takeAll() == [1, 2, 3])
        #expect(mailbox.takeAll() == [])
        mailbox.post(4)
        #expect(bell.count.load(ordering: .relaxed) == 2)
    }

    @Test func `one that was emptied is asked without its lock`() {
        let mailbox = Mailbox<Int> {}
        mailbox.post(1)
        #expect(mailbox.takeAll() == [1])
        let mayHaveMessages = mailbox.hasMessages.load(ordering: .relaxed)
        #expect(!mayHaveMessages)
    }

    @Test func `no message of many threads is lost`() async {
        let mailbox = Mailbox<Int> {}
        await withTaskGroup { group in
            for first in 0..<8 {
                group.addTask {
                    for number in 0..<1000 { mailbox.post(first * 1000 + number) }
                }
            }
        }
        #expect(mailbox.takeAll().sorted() == Array(0..<8000))
    }
}
