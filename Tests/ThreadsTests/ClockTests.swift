import Bytes
import Testing
import Threads

@Suite struct ClockTests {
    @Test func `the clock does not go back`() {
        let first = Instant.read()
        #expect(Instant.read() >= first)
    }
}
