internal import CZlib

/// One deflating stream, owned once.
///
///     var compressor = GzipCompressor(settings: .stream)
///     compressor.compress(frame.span, into: &output, flush: .sync)   // once an event
///     compressor.finish(into: &output)                               // at the end
@safe package struct GzipCompressor: ~Copyable {
    /// The bytes that have to be readable on the other side when a call returns.
    package enum Flush: Sendable {
        /// Whatever zlib gives out by itself: best for pieces of one body.
        case none
        /// Everything so far, with an empty block at a byte boundary (`Z_SYNC_FLUSH`, 5 bytes):
        /// an event that is shown at once.
        case sync
        /// Everything, and the end of the stream with its checksum.
        case finish
    }

    /// The settings that the stream was opened with.
    package let settings: CompressionSettings

    // zlib's state points back to the stream it was started with, so the stream has an address
    // of its own, from `init` to `deinit`.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isFinished = false
    private var level: Int

    /// Allocates what `settings` say; as everywhere in Swift, their absence traps.
    ///
    /// - Parameter isBare: deflated blocks alone (RFC 1951), whose member a `GzipMember` makes.
    package init(settings: CompressionSettings = .standard, isBare: Bool = false) {
        self.settings = settings
        level = settings.level
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let status = unsafe czlib_deflate_start(
            stream, Int32(settings.level),
            Int32(isBare ? -settings.window : settings.window + gzipWrapper),
            Int32(settings.memoryLevel))
        precondition(status == Z_OK, "zlib found no memory for a stream")
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Forgets all that it has taken in: what follows refers to nothing before it.
    package mutating func beginAnew() {
        let status = unsafe deflateReset(stream)
        precondition(status == Z_OK, "A stream that was opened can begin anew.")
        isFinished = false
    }

    /// Appends the coded form of `input` to `output`, as far as `flush` asks for it. `isStored`
    /// takes it in as it is, at the speed of copying.
    ///
    /// Precondition: the stream was not finished before.
    package mutating func compress(
        _ input: Span<UInt8>, into output: inout [UInt8], flush: Flush = .none,
        isStored: Bool = false
    ) {
        precondition(!isFinished, "a finished stream takes no more input")
        precondition(input.count <= Int(UInt32.max), "zlib counts in 32 bits")
        isFinished = flush == .finish
        setLevel(isStored ? 0 : settings.level, into: &output)
        let bound = Int(unsafe deflateBound(stream, UInt(input.count)))
        let room = flush == .none ? 1024 : max(64, min(bound, 65_536))
        let mode = mode(of: flush)
        let stream = unsafe stream
        unsafe input.withUnsafeBufferPointer { bytes in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(bytes.count)
            var status = Z_OK
            repeat {
                status = unsafe appendOutput(of: stream, room: room, to: &output) {
                    unsafe deflate($0, mode)
                }
            } while unsafe stream.pointee.avail_out == 0 && status == Z_OK
            unsafe stream.pointee.next_in = nil
        }
    }

    /// Ends the stream: appends what is still held back, and the checksum.
    package mutating func finish(into output: inout [UInt8]) {
        compress(Span(), into: &output, flush: .finish)
    }

    /// Changes the level for what follows; what zlib still holds back is compressed before.
    private mutating func setLevel(_ level: Int, into output: inout [UInt8]) {
        guard level != self.level else { return }
        self.level = level
        var status = Z_OK
        repeat {
            status = unsafe appendOutput(of: stream, room: 16_384, to: &output) {
                unsafe deflateParams($0, Int32(level), Z_DEFAULT_STRATEGY)
            }
        } while status == Z_BUF_ERROR
    }

    private func mode(of flush: Flush) -> Int32 {
        switch flush {
        case .none: Z_NO_FLUSH
        case .sync: Z_SYNC_FLUSH
        case .finish: Z_FINISH
        }
    }
}
