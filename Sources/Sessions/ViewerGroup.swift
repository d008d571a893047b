public import Redux

/// Clients of one class of a view, who may be of another class since the state has changed.
///
/// A view is asked about all of its groups at once.
@usableFromInline
package struct ViewerGroup: Sendable {
    /// The class by the state of before; nil where the view is for everybody, and no viewer leaves.
    @usableFromInline package let viewerClass: ViewerClass?
    @usableFromInline package internal(set) var viewers: [Viewer]

    package init(_ viewerClass: ViewerClass?, _ viewers: [Viewer]) {
        self.viewerClass = viewerClass
        self.viewers = viewers
    }

    /// The viewers that leave a group, one or more.
    @usableFromInline
    package struct Leavers: Sendable, Hashable {
        /// The place of the group among those that were asked about.
        package let group: Int
        /// The places of the viewers in the group, in rising order.
        package let places: [Int]

        @usableFromInline
        package init(of group: Int, _ places: [Int]) {
            self.group = group
            self.places = places
        }
    }
}
