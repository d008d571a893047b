internal import HTTPMessages
internal import Logging
internal import Sockets

/// The things that the loops of one server share.
final class ServerShared: Sendable {
    let limits: HTTPLimits
    let requestLimits: RequestLimits
    let logger: Logger
    let tally: AddressTally
    let compression: CompressionTally
    let mailboxes: [LoopMailbox<LoopServer>]
    let leastBatchCount: Int?
    let memory: MemoryBudget
    /// The fields of every answer.
    let commonFields: [(name: String, value: String)]
    /// The origins whose pages may read answers; nil for none.
    let sharing: OriginSharing?

    init(
        _ configuration: WebServerConfiguration, mailboxes: [LoopMailbox<LoopServer>],
        memory: MemoryBudget
    ) {
        limits = configuration.limits
        var requestLimits = RequestLimits()
        requestLimits.headByteCount = limits.headByteCount
        requestLimits.fieldCount = limits.fieldCount
        requestLimits.targetByteCount = limits.targetByteCount
        self.requestLimits = requestLimits
        logger = configuration.logger
        tally = AddressTally(
            totalLimit: limits.connectionCount, addressLimit: limits.connectionsPerAddress)
        compression = CompressionTally(limit: limits.compressedStreamCount)
        self.mailboxes = mailboxes
        leastBatchCount = configuration.leastBatchCount
        self.memory = memory
        commonFields = configuration.commonFields
        sharing = configuration.sharing
    }

    /// From how many readable connections on they are received from by one system call: two pay,
    /// as measured.
    var leastReceiveCount: Int? { leastBatchCount.map { min($0, 2) } }

    /// The largest request that is taken now: any that the limits allow, smaller ones where the
    /// memory budget is exceeded, and hardly any where it is far exceeded.
    var largestRequestByteCount: Int {
        switch memory.scarcity {
        case .none: .max
        case .exceeded: limits.scarceBodyByteCount
        case .farExceeded: min(limits.scarceBodyByteCount, Self.smallRequestByteCount)
        }
    }

    /// So much may wait for a client that does not take it: any amount that the limits allow,
    /// little where the memory budget is exceeded.
    var mostUnreadByteCount: Int {
        switch memory.scarcity {
        case .none: .max
        case .exceeded: 256 * 1024
        case .farExceeded: 16 * 1024
        }
    }

    /// So many bytes of requests wait behind one that is not answered before reading pauses: none
    /// where memory is short.
    var mostPipelinedByteCount: Int {
        memory.isExceeded ? 0 : limits.pipelinedByteCount
    }

    /// Requests up to this size are always taken.
    private static let smallRequestByteCount = 4096

    /// Answers true where a request of so many bytes is too large for the memory that is left.
    func isTooLarge(_ byteCount: Int) -> Bool {
        byteCount > Self.smallRequestByteCount && byteCount > largestRequestByteCount
    }
}
