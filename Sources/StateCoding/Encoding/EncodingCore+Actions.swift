extension EncodingCore {
    /// Writes an action: `{"type":"home/searchEdited","payload":{"text":"bre"}}`.
    func encodeAction<Action: Encodable>(_ action: Action) throws {
        writer.append(literal: #"{"type":""#)
        valueStart = written
        actionBase = 0
        nesting = 1
        try encodeOwnForm(action)
        closeFrames(to: 0)
        writer.append(literal: "}")
    }
}
