import Redux
import Synchronization

/// Nanoseconds a dispatch, beside the least that could be done instead: a bare class behind a lock,
/// and a bare actor.
///
///     swift run -c release store-benchmark             # or only: store-benchmark "store, 10"
///
/// And microseconds from a committed state to the bytes of its patch, beside the reducer's copy and
/// `==`: `store-benchmark "form,"`; and microseconds from a committed state to the views that are to
/// be published: `store-benchmark "views,"`; and microseconds from a whole state to its JSON and back:
/// `store-benchmark "whole,"`.
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
        workLines()
        actionLines()
        print("\nus a step: form and patch (bytes of the patch); the reducer's copy, and ==\n")
        for count in [10, 1_000, 10_000, 100_000] { formLines(count) }
        changedLines(of: 10_000)
        print("\nus a change of one player's part: its views; asking who is of another class\n")
        for subject in [ViewMeasurement.Subject.own, .computed, .shared] {
            for count in [1, 200, 1_000] {
                view("views, \(subject) by \(count) players") {
                    ViewMeasurement(subject, players: 1_000, watchers: count)
                }
            }
        }
        for count in [1, 100, 1_000] {
            view("views, a line of a chat to \(count)") {
                ViewMeasurement(.chat, players: count, watchers: count)
            }
            view("views, a line of a chat to \(count), patches") {
                ViewMeasurement(.chat, players: count, watchers: count, wantsPatches: true)
            }
        }
        for count in [100, 1_000, 10_000] {
            view("views, the list of \(count)") {
                ViewMeasurement(.list, players: count, watchers: 1)
            }
            view("views, the list of \(count), patches") {
                ViewMeasurement(.list, players: count, watchers: 1, wantsPatches: true)
            }
        }
        wholeLines()
    }

    private static func workLines() {
        line("store, no work listed", WorkMeasurement.dispatch(.none, 1))
        line("store, 10 works", WorkMeasurement.dispatch(.single, 10))
        line("store, 10 works with names of two parts", WorkMeasurement.dispatch(.twoPartNames, 10))
        line("store, an unchanged group of 10 works", WorkMeasurement.dispatch(.group, 10))
    }

    private static func actionLines() {
        guard let measurement = try? ActionMeasurement() else { return print("action: not coded") }
        line("action, decoding", measurement.decoding())
        line("action, encoding", measurement.encoding())
    }

    private static func wholeLines() {
        print("\nus a whole state: encoding; decoding\n")
        for count in [10, 1_000, 10_000] {
            wholeLines("whole, \(count) records", FormMeasurement.State(count: count))
        }
        for count in [10, 1_000] {
            let records = FormMeasurement.State(count: count).records
            let dictionary = Dictionary(
                records.map { ("key \($0.id)", $0) }, uniquingKeysWith: { first, _ in first })
            wholeLines("whole, dictionary of \(count)", dictionary)
        }
    }

    private static func wholeLines<Sample: Codable & Equatable>(_ what: String, _ sample: Sample) {
        guard isWanted(what) else { return }
        do {
            let whole = try WholeMeasurement(sample)
            let name = "\(what), \(whole.byteCount) bytes"
            line(name, try whole.measure())
            line(name + ", Foundation", try whole.measureFoundation())
            let idle = try whole.measureIdle()
            line("\(what), nothing written", idle)
        } catch {
            print("\(what): \(error)")
        }
    }

    private static func line(_ what: String, _ figures: WholeFigures) {
        let numbers = [figures.encoding, figures.decoding].map { "\(($0 * 10).rounded() / 10)" }
        let space = String(repeating: " ", count: max(1, 56 - what.count - numbers[0].count))
        print(what + space + numbers.joined(separator: "; "))
    }

    private static func view(_ what: String, _ make: () -> ViewMeasurement?) {
        guard isWanted(what) else { return }
        guard let figures = make()?.measure() else { return print("\(what): not published") }
        let numbers = [figures.publication, figures.regrouping].map {
            "\(($0 * 100).rounded() / 100)"
        }
        let space = String(repeating: " ", count: max(1, 48 - what.count - numbers[0].count))
        let patch = figures.patchByteCount > 0 ? " (\(figures.patchByteCount))" : ""
        print(what + space + numbers[0] + patch + "; " + numbers[1])
    }

    private static func changedLines(of count: Int) {
        for changed in [1, 10, 100, 1_000, 10_000] { changedLine(changed, of: count) }
        passwordLines(count)
    }

    /// Some records change, at equal distances.
    private static func changedLine(_ changed: Int, of count: Int) {
        form("form, \(changed) of \(count)", count) { state, _ in
            for index in stride(from: 0, to: count, by: count / changed) {
                state.records[index].price += 1
            }
        }
    }

    private static func formLines(_ count: Int) {
        form("form, a counter beside \(count) records", count) { state, _ in state.counter += 1 }
        for (place, index) in [("first", 0), ("middle", count / 2), ("last", count - 1)] {
            form("form, the \(place) of \(count), longer", count) { state, round in
                state.records[index].name += "!"
            }
            form("form, the \(place) of \(count), shorter", count) { state, round in
                state.records[index].name = String(repeating: "x", count: 200 - round)
            }
            form("form, the \(place) of \(count), as long", count) { state, round in
                state.records[index].name = "item number \(100 + round)"
            }
        }
        let keyed = Dictionary(
            FormMeasurement.State(count: count).records.map { ("key \($0.id)", $0) },
            uniquingKeysWith: { first, _ in first })
        form("form, one of a dictionary of \(count)", keyed) { state, _ in
            state["key \(count / 2)"]?.price += 1
        }
        form("form, one more in the middle of \(count)", count) { state, round in
            var record = state.records[0]
            record.id = count + round
            state.records.insert(record, at: state.records.count / 2)
        }
        form("form, one less at the beginning of \(count)", count) { state, _ in
            if state.records.count > 1 { state.records.removeFirst() } else { state.counter += 1 }
        }
        form("form, every one of \(count)", count) { state, _ in
            for index in state.records.indices { state.records[index].price += 1 }
        }
    }

    /// One password changes: a secret, whose operations are wanted or not, or a text.
    private static func passwordLines(_ count: Int) {
        let secrets = AccountSample(count: count) { Secret($0) }
        for (name, keepsSecrets) in [("kept", true), ("hidden", false)] {
            let what = "form, one secret of \(count), \(name)"
            form(what, secrets, keepingSecrets: keepsSecrets) { state, round in
                state.accounts[count / 2].password = Secret("password of round \(round)")
            }
        }
        form("form, one text of \(count)", AccountSample(count: count) { $0 }) { state, round in
            state.accounts[count / 2].password = "password of round \(round)"
        }
    }

    private static func form(
        _ what: String, _ count: Int, _ change: FormMeasurement.Change<FormMeasurement.State>
    ) {
        guard isWanted(what) else { return }
        form(what, FormMeasurement.State(count: count), change)
    }

    private static func form<Sample: Encodable & Equatable>(
        _ what: String, _ sample: @autoclosure () -> Sample,
        keepingSecrets keepsSecrets: Bool = false, _ change: FormMeasurement.Change<Sample>
    ) {
        guard isWanted(what) else { return }
        guard
            let figures = try? FormMeasurement.measure(
                sample(), keepingSecrets: keepsSecrets, change)
        else { return print("\(what): not encodable") }
        let numbers = [figures.patch, figures.copy, figures.comparison].map {
            "\(($0 * 10).rounded() / 10)"
        }
        let space = String(repeating: " ", count: max(1, 48 - what.count - numbers[0].count))
        print(
            what + space + numbers[0] + " (\(figures.patchByteCount)); "
                + numbers[1...].joined(separator: ", "))
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
