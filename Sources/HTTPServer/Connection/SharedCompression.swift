internal import Gzip
internal import Sockets

/// One compressor for the frames that many streams are sent in the same order. What it remembers is
/// what each of their clients has read, so that a frame is compressed once for all of them.
///
/// Who comes in between, or was sent something else, gets frames that refer to nothing before them.
/// With a frame a second later the compressor begins anew: from there on all are together.
package final class SharedCompression {
    /// A frame, compressed.
    struct Form {
        /// Above 0; rises.
        let id: Int
        /// The form that a client has to have read last; nil: it refers to nothing.
        let follows: Int?
        /// The frame that was compressed; held, so that no other one can have its place in memory.
        fileprivate let source: StreamFrame
        let coded: StreamFrame
        let sum: GzipMember.Sum

        fileprivate var byteCount: Int { source.count + coded.count }
    }

    private static let leastPeriod: Duration = .seconds(1)
    /// The most bytes of forms that are kept in a turn: streams have fewer waiting than that.
    private static let formByteCount = 4 << 20
    /// The most bytes of a form that is kept for who joins later.
    private static let restingByteCount = 64 * 1024

    /// Made for the first frame.
    private var compressor: FrameCompressor?
    /// What was compressed in this turn, and last before it, the oldest first.
    private var forms: [Form] = []
    private var formByteCount = 0
    private var lastID = 0
    /// The form that the compressor has made last.
    private var head = 0
    private var lastStep = Instant(nanoseconds: 0)
    private var beginning = Instant(nanoseconds: 0)
    /// Somebody has read something else than what the compressor remembers.
    private var hasOutsiders = false
    /// The streams that have their frames from here.
    private var streamCount = 0

    package init() {}

    func add(streams count: Int) { streamCount += count }

    /// The bytes of memory that each stream answers for: zlib takes 27 KiB.
    var byteCountPerStream: Int {
        let own = compressor == nil ? 0 : FrameCompressor.byteCount
        return (own + formByteCount) / max(streamCount, 1)
    }

    /// All streams have been sent what this turn has brought: little of it is asked for again.
    func turnEnded() {
        forms = forms.suffix(1).filter { $0.byteCount <= Self.restingByteCount }
        formByteCount = forms.first?.byteCount ?? 0
    }

    /// The form of a frame for a client that has read the form `last`; 0: none yet.
    ///
    /// - Parameters:
    ///   - isStored: the frame is only wrapped.
    ///   - other: compresses what refers to nothing.
    func form(
        of frame: StreamFrame, after last: Int, isStored: Bool, at now: Instant,
        or other: FrameCompressor
    ) -> Form {
        let known = forms.filter { $0.source.isSame(as: frame) }
        if let form = known.last(where: { $0.follows == last }) { return form }
        let single = known.last { $0.follows == nil }
        let isAhead = last == head
        if beginsAnew(for: isAhead, at: now) {
            let fresh = compressor ?? FrameCompressor()
            compressor = fresh
            beginning = now
            hasOutsiders = false
            // Who has read the frame by itself is among the others, too.
            return step(frame, follows: nil, id: single?.id, isStored, fresh, at: now)
        }
        if isAhead, let compressor {
            return step(frame, follows: head, id: nil, isStored, compressor, at: now)
        }
        hasOutsiders = hasOutsiders || single?.id != head
        return single ?? keep(frame, follows: nil, id: nil, isStored, other)
    }

    private func beginsAnew(for isAhead: Bool, at now: Instant) -> Bool {
        guard compressor != nil else { return true }
        guard now >= beginning.advanced(by: Self.leastPeriod) else { return false }
        return isAhead ? hasOutsiders : now >= lastStep.advanced(by: Self.leastPeriod)
    }

    private func step(
        _ frame: StreamFrame, follows: Int?, id: Int?, _ isStored: Bool,
        _ compressor: FrameCompressor, at now: Instant
    ) -> Form {
        let form = keep(frame, follows: follows, id: id, isStored, compressor)
        head = form.id
        lastStep = now
        return form
    }

    private func keep(
        _ frame: StreamFrame, follows: Int?, id: Int?, _ isStored: Bool,
        _ compressor: FrameCompressor
    ) -> Form {
        if id == nil { lastID += 1 }
        let form = Form(
            id: id ?? lastID, follows: follows, source: frame,
            coded: compressor.compress(frame, isStored: isStored, isAlone: follows == nil),
            sum: GzipMember.Sum(of: frame.chunk.bytes.span.extracting(frame.payloadRange)))
        if let former = forms.firstIndex(where: { $0.id == form.id }) {
            formByteCount -= forms.remove(at: former).byteCount
        }
        forms.append(form)
        formByteCount += form.byteCount
        while forms.count > 4, formByteCount > Self.formByteCount {
            formByteCount -= forms.removeFirst().byteCount
        }
        return form
    }
}

/// Deflates frames, each with a sync flush, so that a client can show it at once.
final class FrameCompressor {
    static let byteCount = 27 * 1024

    private var compressor = GzipCompressor(settings: .stream, isBare: true)

    /// - Parameter isAlone: it refers to nothing before it.
    func compress(_ frame: StreamFrame, isStored: Bool, isAlone: Bool) -> StreamFrame {
        if isAlone { compressor.beginAnew() }
        var bytes: [UInt8] = []
        compressor.compress(
            frame.chunk.bytes.span.extracting(frame.payloadRange), into: &bytes, flush: .sync,
            isStored: isStored)
        return StreamFrame(bytes)
    }
}
