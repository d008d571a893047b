/// The extent to which a session in memory keeps its entries, for those who ask for its past: its
/// log, an older version, a recording.
public enum History: Sendable, Hashable {
    /// Its entries are kept while clients watch it by patches or ask for its past, from the first
    /// such request on until there was none for a minute.
    case whileWatched
    /// Its entries are kept from its beginning on.
    case always
}
