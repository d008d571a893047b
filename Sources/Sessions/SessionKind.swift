/// The way in which a session comes by its entries.
package enum SessionKind {
    /// Its clients and its work act.
    ///
    /// - keepsEntries: they are kept in memory whether anybody asks for them or not.
    case live(keepsEntries: Bool)
    /// It plays a recording, and takes nothing.
    case replay(Recording)
}
