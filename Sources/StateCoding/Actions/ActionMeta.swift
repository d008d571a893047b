/// The members `meta` of posted actions, which are logged and mean nothing to a reducer.
@usableFromInline
package enum ActionMeta {
    /// The JSON text of `meta` of each action in a posted body, in their order; nil for an action
    /// that has none. One action is a list of one; a body that is neither action nor batch has none.
    @usableFromInline package static func list(in body: Span<UInt8>) -> [[UInt8]?] {
        do throws(DecodingFailure) {
            let root = try JSONDocument(parsing: body).root
            return (root.elements ?? [root]).map { $0["meta"]?.json }
        } catch {
            return []
        }
    }
}
