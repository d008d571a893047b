import HTTPMessages
import HTTPServer
import Sessions
import StateCoding

/// The selection of a query: the whole state, a part, or a view.
enum Selection {
    /// The most arguments of a view.
    private static let argumentCount = 32
    /// The depth of a selection: no JSON of the server nests deeper.
    private static let tokenCount = 128
    /// The parameters that are no arguments of a view.
    private static let ownNames: Set<String> = [
        "view", "wait", "until", "compression", "settle", "last_event_id", "lastEventId",
    ]

    /// The projection that a query selects.
    static func projection(
        _ query: Query, of session: Session
    ) throws(ProblemAnswer) -> Projection {
        if query.isMalformed {
            throw ProblemAnswer(.badParameter("query", "percent-encoded UTF-8 is expected."))
        }
        guard let kind = try kind(query, of: session) else { return session.projections.whole }
        return session.projections.find(kind, lastChange: session.store.lastChange)
    }

    private static func kind(
        _ query: Query, of session: Session
    ) throws(ProblemAnswer) -> Projection.Kind? {
        let select = query["select"]
        guard let name = query["view"] else { return try select.map(part) }
        guard select == nil else {
            throw ProblemAnswer(.badParameter("select", "not together with view."))
        }
        guard session.store.hasView(name) else {
            throw ProblemAnswer(.badParameter("view", "the application has no such view."))
        }
        return .view(name: name, arguments: try arguments(query))
    }

    private static func part(_ text: String) throws(ProblemAnswer) -> Projection.Kind {
        guard let pointer = JSONPointer(parsing: text) else {
            throw ProblemAnswer(
                .badParameter("select", "a JSON Pointer (RFC 6901) is expected."))
        }
        guard pointer.tokens.count <= tokenCount else {
            throw ProblemAnswer(
                .badParameter("select", "at most \(tokenCount) tokens are expected."))
        }
        return .part(pointer)
    }

    private static func arguments(_ query: Query) throws(ProblemAnswer) -> [String: String] {
        let items = query.items.filter { !ownNames.contains($0.name) }
        guard items.count <= argumentCount else {
            throw ProblemAnswer(
                .badParameter("query", "at most \(argumentCount) arguments of a view."))
        }
        return Dictionary(
            items.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
