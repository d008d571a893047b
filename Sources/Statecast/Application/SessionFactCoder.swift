import Redux
import StateCoding

/// The reason why an application cannot be told what becomes of its sessions.
enum SessionFactFault: Error, CustomStringConvertible {
    /// Several cases carry `SessionFact`.
    case several([String])
    /// The case of this path carries more than the fact.
    case besideOthers(String)

    var description: String {
        switch self {
        case .several(let paths):
            "SessionFact stands in \(paths.joined(separator: " and in ")), and would be told twice: "
                + "keep one of these cases."
        case .besideOthers(let path):
            "\(path) carries SessionFact beside other values, which the server does not know: write "
                + "`case \(path.split(separator: "/").last ?? "session")(SessionFact)`."
        }
    }
}

/// Makes an application's own action of a fact about a session: the case that carries `SessionFact`
/// is found once, at start.
struct SessionFactCoder<Action: ActionGroup>: Sendable {
    private let coder: ActionCoder<Action>
    /// `session`
    private let path: String

    /// Nil where no case carries the facts.
    init?(_ coder: ActionCoder<Action>) throws(SessionFactFault) {
        let paths = coder.paths(to: SessionFact.self)
        guard let path = paths.first else { return nil }
        guard paths.count == 1 else { throw .several(paths) }
        self.coder = coder
        self.path = path
        guard action(of: .restored) != nil else { throw .besideOthers(path) }
    }

    /// The action that carries a fact; nil for none that can be written as JSON.
    func action(of fact: SessionFact) -> Action? {
        var json: [UInt8] = []
        do throws(EncodingFailure) {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("type", "\(path)/\(Self.name(of: fact))")
            if let principal = Self.principal(in: fact) {
                var payload: [UInt8] = []
                try StateEncoder().encode(principal, into: &payload)
                writer.member("payload", json: payload.span)
            }
            writer.endObject()
            json = writer.bytes
        } catch {
            return nil
        }
        do throws(ActionFailure) {
            return try coder.decodeLogged(json.span).action
        } catch {
            return nil
        }
    }

    private static func name(of fact: SessionFact) -> String {
        switch fact {
        case .restored: "restored"
        case .watcherCame: "watcherCame"
        case .watcherLeft: "watcherLeft"
        }
    }

    private static func principal(in fact: SessionFact) -> Principal? {
        switch fact {
        case .restored: nil
        case .watcherCame(let principal), .watcherLeft(let principal): principal
        }
    }
}
