/// One action as a client posted it (Flux Standard Action).
@usableFromInline
package struct ActionEnvelope<Action> {
    /// The path of enum cases, `home/searchEdited`.
    package var type: String
    /// The action.
    @usableFromInline package var action: Action
    /// The member `meta` as it was posted: JSON text, kept in the log, without meaning here.
    package var meta: [UInt8]?

    /// An envelope of `action`.
    package init(type: String, action: Action, meta: [UInt8]? = nil) {
        self.type = type
        self.action = action
        self.meta = meta
    }
}

extension ActionEnvelope: Sendable where Action: Sendable {}
