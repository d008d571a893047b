/// The storage of an array: two arrays of one type whose identities are equal are the same array, as
/// long as one of them is kept.
///
/// That is found out without the array at hand, and without its type, which generic code would have to
/// look up.
package struct ArrayIdentity: Equatable {
    private let address: UInt
    private let count: Int

    /// The identity of an array as it is now.
    package init<Element>(of array: [Element]) {
        // Nothing is read there; the address is that of the storage as long as the array is kept.
        address = unsafe array.withUnsafeBufferPointer {
            UInt(bitPattern: $0.baseAddress)
        }
        count = array.count
    }
}
