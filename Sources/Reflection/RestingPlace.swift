public import Synchronization

/// Where one object rests between its uses, to be taken by whichever thread needs one next.
///
/// Safe, as the object is swapped in and out at once: who takes it is the only one to have it.
@usableFromInline
package final class RestingPlace<Object: AnyObject>: Sendable {
    /// The address of the object, which is retained; 0 where there is none.
    @usableFromInline let place = Atomic<UInt>(0)

    /// Nothing rests here yet.
    package init() {}

    /// Takes the object out; nil where there is none.
    @inlinable
    package func take() -> Object? { swap(nil) }

    /// Puts an object there, which nobody else uses, and takes out the one that was.
    @inlinable
    package func swap(_ object: Object?) -> Object? {
        var address: UInt = 0
        if let object {
            unsafe address = UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
        }
        address = place.exchange(address, ordering: .acquiringAndReleasing)
        guard let former = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(former).takeRetainedValue()
    }
}
