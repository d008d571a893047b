import FoundationEssentials
import StateCoding

/// The median of many rounds, in microseconds.
struct WholeFigures {
    var encoding: Double
    var decoding: Double
}

/// The whole state to its JSON and back, beside Foundation's coders.
///
/// `Tests/Benchmarks/whole.mjs` does the same in Node, with the same records.
struct WholeMeasurement<State: Codable & Equatable> {
    /// The number of bytes of the JSON.
    let byteCount: Int
    private let state: State
    private let json: [UInt8]

    private static var rounds: Int { 51 }

    init(_ state: State) throws {
        self.state = state
        var json: [UInt8] = []
        try StateEncoder().encode(state, into: &json)
        self.json = json
        byteCount = json.count
    }

    /// Ours.
    func measure() throws -> WholeFigures {
        let (encoder, decoder) = (StateEncoder(), StateDecoder())
        var output: [UInt8] = []
        return try measure {
            output.removeAll(keepingCapacity: true)
            try encoder.encode(state, into: &output)
        } decoding: {
            try decoder.decode(State.self, from: json)
        }
    }

    /// What `Encodable` takes where nothing is written, in microseconds: no encoder takes less that
    /// makes a container for each object.
    func measureIdle() throws -> Double {
        try Self.median { try state.encode(to: IdleEncoder()) }
    }

    /// `JSONEncoder` and `JSONDecoder`.
    func measureFoundation() throws -> WholeFigures {
        let (encoder, decoder, data) = (JSONEncoder(), JSONDecoder(), Data(json))
        return try measure {
            _ = try encoder.encode(state)
        } decoding: {
            try decoder.decode(State.self, from: data)
        }
    }

    private func measure(
        encoding: () throws -> Void, decoding: () throws -> State
    ) throws -> WholeFigures {
        let decoded = try decoding()
        precondition(decoded == state, "The JSON is the state's.")
        return WholeFigures(
            encoding: try Self.median { try encoding() },
            decoding: try Self.median { _ = try decoding() })
    }

    private static func median(of body: () throws -> Void) rethrows -> Double {
        var figures: [Double] = []
        for _ in 0..<rounds { figures.append(try FormMeasurement.microseconds(body)) }
        return figures.sorted()[rounds / 2]
    }
}
