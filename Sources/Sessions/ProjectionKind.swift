package import StateCoding

/// The part of a session that a projection shows.
package enum ProjectionKind {
    /// The state as it is.
    case whole
    case view(ShownView)
    /// A part of the whole state, or of the view that stands for it.
    case part(JSONPointer, of: Projection)

    /// The identity of a projection of this kind.
    package var key: ProjectionKey {
        switch self {
        case .whole: .whole
        case .view(let view): .view(view)
        case .part(let pointer, let base): .part(pointer, of: base.key)
        }
    }

    /// The class of viewers whom it is shown to; nil where it is for everybody.
    var viewerClass: ViewerClass? {
        switch self {
        case .whole: nil
        case .view(let view): view.viewerClass
        case .part(_, let base): base.viewerClass
        }
    }

    /// The view, where the state decides who is shown it: it is one for a class whose viewers come and go.
    var changingView: ShownView? {
        switch self {
        case .whole: nil
        case .view(let view): view.viewerClass?.isFixed ?? true ? nil : view
        case .part(_, let base): base.kind.changingView
        }
    }

    /// A projection of this kind can be without clients for a while, and have some again: a part of a
    /// view goes with its view.
    var canLinger: Bool {
        switch self {
        case .whole: false
        case .view: true
        case .part(_, let base): base.key == .whole
        }
    }
}
