import Bytes
import Testing

@Suite struct InstantTests {
    @Test(arguments: [
        (Duration.zero, Int64(0)), (.milliseconds(75), 75_000_000), (.seconds(-2), -2_000_000_000),
        (.seconds(Int64.max), .max), (.seconds(Int64.min), .min), (.nanoseconds(-1), -1),
    ])
    func `a duration in nanoseconds saturates`(duration: Duration, nanoseconds: Int64) {
        #expect(duration.nanoseconds == nanoseconds)
    }

    @Test func `instants advance, compare and saturate`() {
        let instant = Instant(nanoseconds: 100)
        #expect(instant.advanced(by: .nanoseconds(5)).nanoseconds == 105)
        #expect(instant.duration(to: Instant(nanoseconds: 90)) == .nanoseconds(-10))
        #expect(instant < Instant(nanoseconds: 101))
        #expect(instant.advanced(byNanoseconds: .max).nanoseconds == .max)
        #expect(Instant(nanoseconds: -5).advanced(byNanoseconds: .min).nanoseconds == .min)
    }
}
