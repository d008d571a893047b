internal import Gzip
internal import Sockets

/// The content coding of one stream: a gzip member, and the frames that wait for it.
///
/// Frames wait as they are, shared with other streams, until the socket has room for them.
final class StreamCoding {
    let source: any StreamSource
    private let client: Accounts.Client
    private let shared: ServerShared
    private var compression = SharedCompression()
    /// The form that the client has last; 0: none of this compression.
    private var last = 0
    private var member = GzipMember()
    private var hasBegun = false
    private var pending: [StreamFrame] = []
    /// The count of bytes that wait, before compression.
    private(set) var pendingByteCount = 0

    /// A coding that was counted by `ServerShared.beginCompressing`; its end is counted, too.
    init(source: any StreamSource, of client: Accounts.Client, in shared: ServerShared) {
        self.source = source
        self.client = client
        self.shared = shared
        compression.add(streams: 1)
    }

    deinit {
        compression.add(streams: -1)
        shared.endCompressing(for: client)
    }

    /// The bytes of memory that the stream takes besides its queue.
    var byteCount: Int { pendingByteCount + compression.byteCountPerStream }

    /// From now on what is sent is compressed together with what other streams are sent.
    func share(_ compression: SharedCompression) {
        self.compression.add(streams: -1)
        compression.add(streams: 1)
        self.compression = compression
        last = 0
    }

    /// The end of a turn in which something was encoded.
    func turnEnded() { compression.turnEnded() }

    /// Adds a frame to what is compressed next.
    func add(_ frame: StreamFrame) {
        pending.append(frame)
        pendingByteCount += frame.count
    }

    /// Hands on all that waits, compressed.
    ///
    /// - Parameters:
    ///   - isLast: the member ends with it.
    ///   - compressor: for frames that refer to nothing.
    func encode(
        isLast: Bool, at now: Instant, _ compressor: FrameCompressor,
        to append: (StreamFrame) -> Void
    ) {
        if !hasBegun {
            hasBegun = true
            append(Self.head)
        }
        for frame in pending {
            let form = compression.form(
                of: frame, after: last,
                isStored: frame.count > shared.configuration.limits.compressedFrameByteCount,
                at: now, or: compressor)
            last = form.id
            member.add(form.sum)
            append(form.coded)
        }
        pending = []
        pendingByteCount = 0
        if isLast { append(StreamFrame(member.end)) }
    }

    private static let head = StreamFrame(GzipMember.head)
}
