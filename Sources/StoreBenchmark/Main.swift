import Redux
import Synchronization

/// Nanoseconds a dispatch, beside the least that could be done instead: a bare class behind a lock,
/// and a bare actor.
///
///     swift run -c release store-benchmark
@main
enum Main {
    static func main() async {
        print("ns a dispatch, best of \(Measurement.rounds) rounds of \(Measurement.count)\n")
        line("what", "ns")
        line("class and lock", LockedTally.measure())
        line("actor", await ActorTally.measure())
        for observers in [0, 1, 10, 100] {
            line("store, \(observers) subscribers", StoreMeasurement.silent(observers))
        }
        for observers in [1, 10, 100] {
            line("store, \(observers) subscribers, each told", StoreMeasurement.told(observers))
        }
        line("store, staged and committed", StoreMeasurement.twoPhase())
        line("store, one interceptor, one reaction", StoreMeasurement.surrounded())
        line("store, rejected", StoreMeasurement.rejected())
    }

    private static func line(_ what: String, _ nanoseconds: Double) {
        line(what, "\((nanoseconds * 10).rounded() / 10)")
    }

    private static func line(_ what: String, _ figure: String) {
        let space = String(repeating: " ", count: max(1, 48 - what.count - figure.count))
        print(what + space + figure)
    }
}
