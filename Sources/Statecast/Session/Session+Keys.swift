import HTTPServer
import Sockets

/// An idempotency key whose entries are with the journal.
struct KeyInFlight {
    var print: UInt64
    var version: UInt64
    var answer: ActionAnswer
}

extension Session {
    /// Looks a request's key up; false where the request is answered by that: it repeats another
    /// one, or there is no room for its key.
    func takesKey(
        of request: ActionRequest, _ context: SessionContext, on loop: isolated EventLoop
    ) -> Bool {
        guard let key = request.key else { return true }
        if let known = keysInFlight[key.hash] {
            // Also that the key was used before is so only once its entries are kept.
            var request = request
            request.isRepeated = true
            let isSame = known.print == key.print
            durability.wait(
                for: known.version,
                HeldAnswer(
                    request: request,
                    result: isSame ? .success(known.answer) : .failure(.idempotencyKeyReused)))
            return false
        }
        if let known = idempotency.entry(key.hash) {
            guard known.print == key.print else {
                request.exchange.respond(.idempotencyKeyReused, on: loop)
                return false
            }
            var request = request
            request.isRepeated = true
            answer(.success(.again(known.outcome)), request, context, on: loop)
            return false
        }
        let now = Timestamp(milliseconds: loop.wallClockMilliseconds)
        guard context.budget.scarcity != .farExceeded else {
            request.exchange.respond(.shortOfMemory, on: loop)
            return false
        }
        idempotency.forgetOld(at: now, context.limits.idempotencyDuration)
        guard idempotency.hasRoom(for: key.hash, beside: keysInFlight.count, context.limits) else {
            request.exchange.respond(.tooManyKeys, on: loop)
            return false
        }
        return true
    }

    /// Keeps the answer of a request under its key. One that made no entry is not kept: its repeat
    /// is a request like any other.
    func keep(_ key: ActionRequest.Key, _ answer: ActionAnswer, at now: Timestamp) {
        keysInFlight[key.hash] = nil
        guard let outcome = answer.kept, idempotency.entry(key.hash) == nil else { return }
        idempotency.insert(
            key.hash, IdempotencyTable.Entry(print: key.print, outcome: outcome), at: now)
    }
}
