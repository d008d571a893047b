package import Bytes

/// An answer about the past, which may be asked for again, or is still being sent.
struct KeptAnswer {
    let question: AnyHashable
    /// What it is of.
    let version: UInt64
    /// The client who has had it made.
    let asker: Accounts.Client
    /// Nil: it is only being sent.
    var answer: AnyObject?
    let byteCount: Int
    weak let bytes: LargeBytes?
}

/// Answers about the past.
extension Projections {
    package func pastAnswer(to question: AnyHashable) -> AnyObject? {
        past.first { $0.question == question }?.answer
    }

    /// Keeps an answer about the past, of bytes before compression, in place of one to the same question.
    package func keep(
        _ answer: AnyObject, to question: AnyHashable, at version: UInt64, _ bytes: SharedBytes?,
        of asker: Accounts.Client = 0
    ) {
        forgetPast { $0.question == question }
        past.append(
            KeptAnswer(
                question: question, version: version, asker: asker,
                answer: version >= pastBegin ? answer : nil, byteCount: bytes?.count ?? 0,
                bytes: bytes?.large))
        _ = makeRoomForPast(0, of: Self.pastCount, within: context.limits.historyByteCount)
    }

    /// A client may have another answer about the past made: with those kept or still being sent it has no more
    /// bytes than a history may have, with the client's own no more than a share, or is the only one.
    package func hasRoomForPast(_ byteCount: Int, of asker: Accounts.Client = 0) -> Bool {
        let limit = context.limits.historyByteCount
        let share = Accounts.share(context.limits.sessionShare, of: limit)
        let isWithinShare =
            asker == 0 || makeRoomForPast(byteCount, within: share) { $0.asker == asker }
        return isWithinShare && makeRoomForPast(byteCount, within: limit)
    }

    private func makeRoomForPast(
        _ byteCount: Int, of count: Int = pastCount - 1, within limit: Int,
        among isMeant: (KeptAnswer) -> Bool = { _ in true }
    ) -> Bool {
        forgetPast()
        while true {
            let meant = past.filter(isMeant)
            let held = meant.reduce(byteCount) { $0 + $1.byteCount }
            let kept = meant.filter { $0.answer != nil }
            if held <= limit, kept.count <= count { return true }
            guard let oldest = kept.first else { return held == byteCount }
            forgetPast { $0.answer === oldest.answer }
        }
    }

    /// Keeps some answers about the past no longer; those that are being sent count until they are.
    func forgetPast(where isForgotten: (KeptAnswer) -> Bool = { _ in false }) {
        for index in past.indices where isForgotten(past[index]) { past[index].answer = nil }
        past.removeAll { $0.answer == nil && $0.bytes == nil }
    }
}
