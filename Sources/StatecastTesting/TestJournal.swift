package import Journaling

/// The journal of this package's test servers, where it is not the one in memory: each server test
/// runs on a journal that answers later, too.
package enum TestJournal {
    /// Makes the journal of a server.
    @TaskLocal package static var make: (@Sendable () -> any Journal)?
}
