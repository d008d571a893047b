extension FixedWidthInteger {
    /// Adds a number that comes from outside; a rejection `out-of-range` where no integer of the type
    /// holds the sum, where `+=` would end the process.
    ///
    ///     case .incremented(let by): try state.count.add(by, field: "by")
    ///
    /// - Parameter field: the place of the number in the action's payload.
    @inlinable
    public mutating func add(_ number: Self, field: String? = nil) throws(Rejection) {
        let (sum, overflow) = addingReportingOverflow(number)
        if overflow { throw .outOfRange(field) }
        self = sum
    }

    /// Subtracts a number that comes from outside; a rejection `out-of-range` where no integer of the
    /// type holds the difference, where `-=` would end the process.
    ///
    /// - Parameter field: the place of the number in the action's payload.
    @inlinable
    public mutating func subtract(_ number: Self, field: String? = nil) throws(Rejection) {
        let (difference, overflow) = subtractingReportingOverflow(number)
        if overflow { throw .outOfRange(field) }
        self = difference
    }
}

extension Rejection {
    @usableFromInline
    static func outOfRange(_ field: String?) -> Rejection {
        Rejection("out-of-range", "No integer holds the result.", field: field)
    }
}
