import StateCoding

extension ApplicationDefinition {
    /// The state that a recording's JSON holds; a secret of text reads `<redacted>` there.
    func recordedState(_ json: [UInt8]) throws(EncodingFailure) -> App.State {
        do throws(DecodingFailure) {
            return try StateDecoder().decode(App.State.self, from: json)
        } catch {
            throw EncodingFailure(
                reason: .refused, pointer: error.pointer,
                detail: "A state of the recording cannot be read: \(error.detail)")
        }
    }
}
