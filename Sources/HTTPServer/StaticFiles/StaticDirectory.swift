package import Sockets

/// A directory whose files are served: opened once, for all loops.
package final class StaticDirectory: Sendable {
    let root: Descriptor
    let configuration: StaticFilesConfiguration

    /// Opens the directory. Throws when it cannot be opened.
    package init(_ configuration: StaticFilesConfiguration) throws(SystemError) {
        root = try SystemCalls().files.openDirectory(configuration.directory)
        self.configuration = configuration
    }
}
