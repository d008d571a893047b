/// The place of a request that waits for a session: for its journal, or for effects.
package struct Ticket: Sendable, Hashable {
    let number: UInt64
}
