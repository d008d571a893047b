import Redux
import StateCoding

/// From a committed state to the bytes of its patch, beside what the reducer's copy and `==` cost.
enum FormMeasurement {
    /// A record of about 110 bytes.
    struct Record: Codable, Sendable, Equatable, Identifiable {
        var id: Int
        var name: String
        var price: Double
        var note: String?
        var point: Point
    }

    struct Point: Codable, Sendable, Equatable {
        var x: Double
        var y: Double
    }

    struct State: Codable, Sendable, Equatable {
        var counter = 0
        var records: [Record]
        var title = "list"

        init(count: Int) {
            records = (0..<count).map { number in
                Record(
                    id: number, name: "item number \(number)", price: Double(number) * 1.25,
                    note: number % 3 == 0 ? "a note of a few words" : nil,
                    point: Point(x: Double(number), y: Double(number) / 2))
            }
        }
    }

    /// The medians of many steps, in microseconds.
    struct Figures {
        /// The reducer's change of the state, which copies the array where that has changed.
        var copy = 0.0
        /// `==` of the state before and the state after.
        var comparison = 0.0
        /// The form and the patch, with its operations for secrets.
        var patch = 0.0
        var patchByteCount = 0
    }

    /// A step that changes a state; its number makes each a little different.
    typealias Change<Sample> = (inout Sample, Int) -> Void

    private static let rounds = 101

    static func measure<Sample: Encodable & Equatable>(
        _ sample: Sample, keepingSecrets keepsSecrets: Bool = false, _ change: Change<Sample>
    ) throws -> Figures {
        var state = sample
        let encoder = StateEncoder()
        var form = try encoder.encode(state, after: nil, keepingSecrets: keepsSecrets).form
        var figures: [Figures] = []
        for round in 0..<rounds {
            let former = state
            var figure = Figures()
            figure.copy = microseconds { change(&state, round) }
            var isEqual = false
            figure.comparison = microseconds { isEqual = areEqual(former, state) }
            precondition(!isEqual, "A step changes the state.")
            var next: EncodedChange?
            figure.patch = try microseconds {
                next = try encoder.encode(state, after: form, keepingSecrets: keepsSecrets)
            }
            figure.patchByteCount = [next?.patch, next?.secrets?.value].reduce(0) {
                $0 + ($1?.operations.count ?? 0)
            }
            if let next { form = next.form }
            figures.append(figure)
        }
        return Figures(
            copy: median(figures.map(\.copy)), comparison: median(figures.map(\.comparison)),
            patch: median(figures.map(\.patch)),
            patchByteCount: figures.last?.patchByteCount ?? 0)
    }

    @inline(never)
    private static func areEqual<Sample: Equatable>(_ one: Sample, _ other: Sample) -> Bool {
        one == other
    }

    /// The time that it takes, by the clock.
    static func microseconds(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.attoseconds) / 1e12
            + Double(duration.components.seconds) * 1e6
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}
