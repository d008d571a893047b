internal import HTTPMessages

extension RequestAssembler {
    /// The receiver of a request says so what it has done with it.
    enum Delivery {
        /// The request is answered, or will be.
        case handled
        /// The request stays where it is: the whole connection goes to another loop.
        case left
    }

    /// The reason why no more requests are handed out.
    enum Stop {
        /// The rest of a request has to come.
        case needsMore
        /// Requests that are there have to wait, or none is left.
        case mustWait
        /// A request cannot be understood.
        case refused(ProblemDetails, isHead: Bool)
    }

    /// Gives whole requests to `deliver`, one after the other: the head, the bytes, and the place of
    /// the body in them.
    ///
    /// - Parameters:
    ///   - used: counts the bytes that are done with.
    ///   - mayGoOn: asked before each request, with the number of those before it.
    @inline(__always)
    mutating func handOut(
        _ bytes: Span<UInt8>, used: inout Int, while mayGoOn: (Int) -> Bool,
        to deliver: (RequestHead, Span<UInt8>, Range<Int>) -> Delivery
    ) -> Stop {
        var number = 0
        while used < bytes.count || isMidway, mayGoOn(number) {
            number += 1
            let rest = bytes.extracting(used...)
            switch next(rest) {
            case .request(let head, let body, let count):
                guard deliver(head, rest, body) == .handled else { return .mustWait }
                used += count
            case .assembled(let head, let count):
                let message = takeMessage()
                used += count
                let body = head.byteCount..<message.count
                guard deliver(head, message.span, body) == .handled else {
                    putBack(head, message)
                    return .mustWait
                }
            case .needMore(let count):
                used += count
                return .needsMore
            case .refused(let problem, let isHead): return .refused(problem, isHead: isHead)
            }
        }
        return .mustWait
    }
}
