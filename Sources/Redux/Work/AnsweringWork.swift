/// A piece of work whose report can be made without running it: for tests.
protocol AnsweringWork: WorkBody {
    /// The action that the work would report; nil where it says nothing.
    ///
    /// - Parameter decoder: reads the answer, or the problem.
    func report(decodedFrom decoder: any Decoder) throws -> (any Sendable)?
}

extension OneShotWork: AnsweringWork {
    func report(decodedFrom decoder: any Decoder) throws -> (any Sendable)? {
        then(try Answer<Output>(from: decoder))
    }
}

extension SubscribingWork: AnsweringWork {
    func report(decodedFrom decoder: any Decoder) throws -> (any Sendable)? {
        guard let failure else { return nil }
        return failure(try Problem(from: decoder))
    }
}

extension KeepingWork: AnsweringWork {
    func report(decodedFrom decoder: any Decoder) throws -> (any Sendable)? {
        guard let failure else { return nil }
        return failure(try Problem(from: decoder))
    }
}

extension MappedWork: AnsweringWork {
    func report(decodedFrom decoder: any Decoder) throws -> (any Sendable)? {
        let answering = child as? any AnsweringWork
        let report = try answering?.report(decodedFrom: decoder) as? Child
        return report.map(embed)
    }
}
