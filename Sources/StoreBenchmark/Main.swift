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
        for observers in [0, 1, 10, 100] {
            line("class and lock, \(observers) subscribers", LockedTally.measure(observers))
            line("actor, \(observers) subscribers", await ActorTally.measure(observers))
            line("store, \(observers) subscribers", StoreMeasurement.told(observers))
            line("store, \(observers), who select what stays", StoreMeasurement.silent(observers))
        }
        line("store, staged and committed", StoreMeasurement.twoPhase())
        line("store, one interceptor, one reaction", StoreMeasurement.surrounded())
        line("store, rejected", StoreMeasurement.rejected())
        line("store, an id", StoreMeasurement.named())
        line("store, a principal", StoreMeasurement.signed())
    }

    private static func line(_ what: String, _ nanoseconds: Double) {
        line(what, "\((nanoseconds * 10).rounded() / 10)")
    }

    private static func line(_ what: String, _ figure: String) {
        let space = String(repeating: " ", count: max(1, 48 - what.count - figure.count))
        print(what + space + figure)
    }
}
