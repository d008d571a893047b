/// A view as a class of viewers is shown it.
package struct ShownView: Hashable, Sendable {
    /// The name in the query; nil for the view that stands for the state.
    package let name: String?
    /// Nil where the view is one for everybody.
    package let viewerClass: ViewerClass?

    package init(name: String?, viewerClass: ViewerClass? = nil) {
        self.name = name
        self.viewerClass = viewerClass
    }
}
