internal import CZlib

/// One inflating stream, owned once, that stops at a limit.
///
///     var decompressor = GzipDecompressor(outputLimit: 1 << 20)
///     try decompressor.decompress(chunk.span, into: &body)   // any number of times
///     try decompressor.finish()                              // .truncated if the end is missing
///
/// A gzip input may consist of several members (RFC 1952 §2.2): their contents are joined.
/// It holds about 40 KiB once data flows (the window of 32 KiB and 7 KiB of tables).
@safe package struct GzipDecompressor: ~Copyable {
    /// The most bytes that come out over the stream's life.
    package let outputLimit: Int

    // zlib's state points back to the stream it was started with, so the stream has an address
    // of its own, from `init` to `deinit`.
    private let stream: UnsafeMutablePointer<z_stream>
    private var outputCount = 0
    private var isAtEnd = false

    /// Precondition: the limit is not negative, and below `Int.max`.
    package init(outputLimit: Int) {
        precondition((0..<Int.max).contains(outputLimit), "a limit is a number of bytes")
        self.outputLimit = outputLimit
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let status = unsafe czlib_inflate_start(stream, Int32(15 + gzipWrapper))
        precondition(status == Z_OK, "zlib found no memory for a stream")
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Appends what `input` decodes to. No more than `outputLimit` bytes are ever appended, and
    /// memory grows with what comes out, not with what the input promises.
    package mutating func decompress(
        _ input: Span<UInt8>, into output: inout [UInt8]
    ) throws(DecompressionFailure) {
        precondition(input.count <= Int(UInt32.max), "zlib counts in 32 bits")
        var consumed = 0
        while consumed < input.count {
            if isAtEnd { try beginMember(input[consumed]) }
            let rest = input.extracting(consumed..<input.count)
            consumed += try inflateMember(rest, into: &output)
        }
    }

    /// Says that the input has ended; `.truncated` unless that was the end of a member.
    package consuming func finish() throws(DecompressionFailure) {
        guard isAtEnd else { throw .truncated }
    }

    private mutating func beginMember(_ first: UInt8) throws(DecompressionFailure) {
        guard first == 0x1f else { throw .trailingGarbage }
        unsafe inflateReset(stream)
        isAtEnd = false
    }

    /// Inflates until the member ends or the input does; returns how much input was used.
    private mutating func inflateMember(
        _ input: Span<UInt8>, into output: inout [UInt8]
    ) throws(DecompressionFailure) -> Int {
        let stream = unsafe stream
        let start = output.count
        // One byte beyond the limit tells a stream that ends exactly there from a longer one.
        let allowance = outputLimit - outputCount + 1
        var status = Z_OK
        // Room is cleared before it is filled: many empty members must not cost a large one each.
        var next = 1024
        let left = unsafe input.withUnsafeBufferPointer { bytes in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(bytes.count)
            repeat {
                let remaining = allowance - (output.count - start)
                let room = min(remaining, next)
                next = min(2 * next, 65_536)
                status = unsafe appendOutput(of: stream, room: room, to: &output) {
                    unsafe inflate($0, Z_NO_FLUSH)
                }
            } while unsafe status == Z_OK && stream.pointee.avail_out == 0
                && output.count - start < allowance
            unsafe stream.pointee.next_in = nil
            return Int(unsafe stream.pointee.avail_in)
        }
        outputCount += output.count - start
        if outputCount > outputLimit {
            output.removeLast(outputCount - outputLimit)
            throw .tooLong(limit: outputLimit)
        }
        isAtEnd = status == Z_STREAM_END
        guard isAtEnd || status == Z_OK || status == Z_BUF_ERROR else {
            throw .corrupt(message)
        }
        return input.count - left
    }

    private var message: String {
        unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "not compressed data"
    }
}
