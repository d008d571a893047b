/// The source of an entry.
public enum Origin: String, Sendable, Hashable {
    case client, effect, replay
}
