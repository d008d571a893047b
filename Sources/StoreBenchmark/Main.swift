import Redux
import Synchronization

/// Nanoseconds a dispatch, beside the least that could be done instead: a bare class behind a lock,
/// and a bare actor.
///
///     swift run -c release store-benchmark             # or only: store-benchmark "store, 10"
@main
enum Main {
    static func main() async {
        print("ns a dispatch, best of \(Measurement.rounds) rounds of \(Measurement.count)\n")
        for observers in [0, 1, 10, 100] {
            line("class and lock, \(observers) subscribers", LockedTally.measure(observers))
            if isWanted("actor, \(observers)") {
                let figure = await ActorTally.measure(observers)
                line("actor, \(observers) subscribers", figure)
            }
            line("store, \(observers) subscribers", StoreMeasurement.told(observers))
            line("store, \(observers), who select what stays", StoreMeasurement.silent(observers))
        }
        line("store, staged and committed", StoreMeasurement.twoPhase())
        line("store, one interceptor, one reaction", StoreMeasurement.surrounded())
        line("store, rejected", StoreMeasurement.rejected())
        line("store, an id", StoreMeasurement.named())
        line("store, a principal", StoreMeasurement.signed())
        line("store, no work listed", WorkMeasurement.dispatch(.none, 1))
        line("store, 10 works", WorkMeasurement.dispatch(.single, 10))
        line("store, 10 works with names of two parts", WorkMeasurement.dispatch(.twoPartNames, 10))
        line("store, an unchanged group of 10 works", WorkMeasurement.dispatch(.group, 10))
    }

    /// A row is measured if its name begins as an argument does, or if there is none.
    private static func isWanted(_ what: String) -> Bool {
        let wanted = CommandLine.arguments.dropFirst()
        return wanted.isEmpty || wanted.contains { what.hasPrefix($0) }
    }

    private static func line(_ what: String, _ nanoseconds: @autoclosure () -> Double) {
        guard isWanted(what) else { return }
        let figure = "\((nanoseconds() * 10).rounded() / 10)"
        let space = String(repeating: " ", count: max(1, 48 - what.count - figure.count))
        print(what + space + figure)
    }
}
