import Redux
import Sessions

/// The JSON that tells what posted actions have come to.
enum ActionAnswer {
    /// Appends `{"version":43,"token":"k3f9-43","changed":true}` and what else there is to say.
    ///
    /// - Returns: the place of the token in `output`.
    @discardableResult
    static func write(
        _ decision: Decision, epoch: String, isSettled: Bool?, to output: inout [UInt8]
    ) -> Range<Int> {
        output.append(contentsOf: versionPart)
        Token.append(decision.version, to: &output)
        output.append(contentsOf: tokenPart)
        let tokenStart = output.count
        Token.append(epoch, decision.version, to: &output)
        let token = tokenStart..<output.count
        output.append(contentsOf: decision.changed ? changedPart : unchangedPart)
        if decision.isDropped { output.append(contentsOf: ",\"dropped\":true".utf8) }
        if decision.isDelayed { output.append(contentsOf: ",\"delayed\":true".utf8) }
        if let isSettled {
            output.append(
                contentsOf: (isSettled ? ",\"settled\":true" : ",\"settled\":false").utf8)
        }
        if let results = decision.results { write(results, to: &output) }
        output.append(UInt8(ascii: "}"))
        return token
    }

    private static func write(_ results: [Outcome], to output: inout [UInt8]) {
        output.append(contentsOf: ",\"results\":[".utf8)
        for (index, result) in results.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            write(result, to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    /// Appends `{"version":43,"changed":true}`, or that there is no entry.
    private static func write(_ result: Outcome, to output: inout [UInt8]) {
        switch result {
        case .accepted(_, let last, let changed):
            output.append(contentsOf: "{\"version\":".utf8)
            Token.append(last, to: &output)
            output.append(contentsOf: ",\"changed\":\(changed)}".utf8)
        case .delayed: output.append(contentsOf: "{\"changed\":false,\"delayed\":true}".utf8)
        default: output.append(contentsOf: "{\"changed\":false,\"dropped\":true}".utf8)
        }
    }

    private static let versionPart = Array("{\"version\":".utf8)
    private static let tokenPart = Array(",\"token\":\"".utf8)
    private static let changedPart = Array("\",\"changed\":true".utf8)
    private static let unchangedPart = Array("\",\"changed\":false".utf8)
}
