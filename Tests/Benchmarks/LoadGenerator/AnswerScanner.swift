import HTTPMessages

/// Tells the status of each whole answer in what a connection receives, however it is cut.
struct AnswerScanner {
    private var reader = ResponseReader()

    /// Goes on with what came; throws where it is no answer.
    mutating func scan(
        _ bytes: Span<UInt8>, _ answered: (Int) -> Void
    ) throws(ResponseError) {
        try reader.read(bytes) { head, _, _ in answered(head.status) }
    }
}
