/// The memory that the patches of one session may take.
struct PatchBudget {
    /// The least share of one projection, in bytes.
    private static let leastShare = 4096

    let byteCount: Int

    /// The memory for the patches of each of some projections, in bytes.
    func share(among count: Int) -> Int {
        precondition(count > 0, "The whole state is one projection at least.")
        return max(Self.leastShare, byteCount / count)
    }
}
