/// A piece of work as a state lists it, with nothing of it under way: for tests.
package struct ListedWork<Action: Sendable>: Sendable {
    /// The report that it is listed for.
    package enum Report: Sendable {
        /// An action at a time.
        case alarm(at: Timestamp, Action)
        /// The action that an answer makes, which the decoder reads; nil where the work says nothing.
        case answer(@Sendable (any Decoder) throws -> Action?)
    }

    /// The full name, with those of the groups around it.
    package let name: String
    package let report: Report

    /// The works of a list, and in place of each group its members.
    package static func list(_ works: [Work<Action>]) -> [ListedWork] { list(works, in: "") }

    private static func list(_ works: [Work<Action>], in prefix: String) -> [ListedWork] {
        works.flatMap { work -> [ListedWork] in
            let name = prefix + work.name.text
            switch work.kind {
            case .alarm(let time, let action):
                return [ListedWork(name: name, report: .alarm(at: time, action))]
            case .group(let members): return list(members(), in: name + "/")
            case .once, .subscription, .effect:
                let body = work.body as? any AnsweringWork
                return [
                    ListedWork(
                        name: name,
                        report: .answer { try body?.report(decodedFrom: $0) as? Action })
                ]
            }
        }
    }
}
