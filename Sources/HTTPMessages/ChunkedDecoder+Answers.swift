extension ChunkedDecoder {
    /// As `decode`, for what a server has sent.
    mutating func decodeAnswer(_ bytes: inout [UInt8]) throws(ResponseError) -> Progress {
        do throws(RequestError) {
            return try decode(&bytes)
        } catch {
            throw error.status == 413 ? .tooLong(limit: limit) : .malformed(error.detail)
        }
    }
}
