/// The bounds of patches that are applied or joined.
///
/// A patch beyond them fails with ``PatchFailure/Reason/limit``; the defaults let everything pass
/// that the encoder writes of a state with the default limits.
package struct PatchLimits: Sendable, Hashable {
    /// Objects and arrays within each other, in the patched document and in the patch's paths.
    package let maximumDepth: Int
    /// Operations of one patch.
    package let maximumOperations: Int

    /// Limits; nesting is bounded by 512, since documents are written by recursion.
    package init(maximumDepth: Int = 128, maximumOperations: Int = 1_000_000) {
        precondition((1...512).contains(maximumDepth), "Nesting is limited to 1 to 512 levels.")
        precondition(maximumOperations > 0, "A patch may have an operation.")
        self.maximumDepth = maximumDepth
        self.maximumOperations = maximumOperations
    }
}
