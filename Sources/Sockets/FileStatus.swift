/// The kind, the size and the age of an open file, as `fstat(2)` tells them.
package struct FileStatus: Sendable, Hashable {
    /// The kind of a file.
    package enum Kind: Sendable, Hashable {
        /// A file with content.
        case regular
        /// A directory.
        case directory
        /// A device, pipe or socket.
        case other
    }

    package let kind: Kind
    /// Its size in bytes.
    package let size: Int64
    /// When its content changed last: seconds since 1970.
    package let modifiedSeconds: Int64
    /// The part of a second of that time, in nanoseconds.
    package let modifiedNanoseconds: Int64
    /// Its number in its file system.
    package let inode: UInt64
}
