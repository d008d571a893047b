/// A thread that the system refuses: `EAGAIN` at a limit of the user, of the container, or of
/// memory.
package struct ThreadRefusal: Error, Sendable, Hashable {
    /// The error number of `pthread_create(3)`.
    package let code: Int32
}
