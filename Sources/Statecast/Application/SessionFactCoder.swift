import Redux
import StateCoding

/// Makes an application's own action of a fact about a session: the case that carries `SessionFact`
/// is found once, at start.
struct SessionFactCoder<Action: ActionGroup>: Sendable {
    private let coder: ActionCoder<Action>
    /// `session`
    private let path: String

    /// Nil where no case carries the facts.
    init?(_ coder: ActionCoder<Action>) {
        guard let path = coder.paths(to: SessionFact.self).first else { return nil }
        self.coder = coder
        self.path = path
    }

    /// The sentence that says why the application cannot be told of facts; nil where it can.
    var fault: String? {
        let paths = coder.paths(to: SessionFact.self)
        guard paths.count == 1 else {
            return
                "SessionFact stands in \(paths.joined(separator: " and in ")), and would be told "
                + "twice: keep one of these cases."
        }
        guard action(of: .restored) == nil else { return nil }
        return
            "\(path) carries SessionFact beside other values, which the server does not know: write "
            + "`case \(path.split(separator: "/").last ?? "session")(SessionFact)`."
    }

    /// The action that carries a fact; nil for none that can be written as JSON.
    func action(of fact: SessionFact) -> Action? {
        let (name, crowd) = Self.parts(of: fact)
        let payload = crowd.flatMap { try? StateEncoder().bytes(of: $0) }
        let json = JSONWriter.object { writer in
            writer.member("type", "\(path)/\(name)")
            if let payload { writer.member("payload", json: payload.span) }
        }
        return try? coder.decodeLogged(json.span).action
    }

    private static func parts(of fact: SessionFact) -> (name: String, crowd: [String: [Principal]]?)
    {
        switch fact {
        case .restored: ("restored", nil)
        case .watchersChanged(let came, let left):
            ("watchersChanged", ["came": came, "left": left])
        }
    }
}
