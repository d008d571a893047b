/// The outcome of encoding a view.
@usableFromInline
package enum ViewContent: Sendable {
    /// The JSON was taken down.
    case encoded
    /// The view shows nothing: it is out of scope.
    case outOfScope
    /// The view would show what it did, since its input is equal: nothing was computed.
    case unchanged
}
