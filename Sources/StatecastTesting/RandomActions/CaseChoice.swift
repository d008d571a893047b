/// A choice among the cases of an enum that a sample has met.
struct CaseChoice {
    /// The enum's type, and the label of its value.
    let name: String
    /// The case that was taken.
    let index: Int
    /// The number of cases.
    let count: Int
}
