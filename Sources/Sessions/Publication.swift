/// The projections of a session that a commit has changed, and that are watched.
package struct Publication {
    /// The whole state, where it has changed and is watched.
    package internal(set) var whole: Projection?
    /// The parts and views that have changed, with their new JSON.
    package internal(set) var others: [Projection] = []
    /// The reason why the projections that are missing here could not be made.
    package internal(set) var refusal: Refusal?
}
