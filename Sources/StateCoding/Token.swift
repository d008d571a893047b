import Bytes
import Redux

/// A session's version as clients see it: `<epoch>-<version>`, for example `k3f9x2-42`.
package struct Token: Sendable, Hashable, CustomStringConvertible {
    package let epoch: String
    package let version: UInt64

    /// The characters.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(epoch.utf8.count + 21)
        Self.append(epoch, version, to: &bytes)
        return bytes
    }

    package var description: String { "\(epoch)-\(version)" }

    package init(epoch: String, version: UInt64) {
        self.epoch = epoch
        self.version = version
    }

    /// Reads what a client sent back, or a server has said; nil where it is no token: an epoch of characters
    /// as an id has them, and a version that a double holds, too. A suffix behind a dot, which tags of parts
    /// and views have, is passed over.
    package init?(_ text: some StringProtocol) {
        let parts = text.prefix { $0 != "." }.split(
            separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, SessionID.isValid(parts[0].utf8),
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            parts[1].utf8.first != 0x30 || parts[1].utf8.count == 1,
            let version = UInt64(parts[1]), version <= 1 << 53
        else { return nil }
        epoch = String(parts[0])
        self.version = version
    }

    /// Appends `<epoch>-<version>`.
    package static func append(_ epoch: String, _ version: UInt64, to output: inout [UInt8]) {
        let epoch = epoch.utf8.span
        output.append(addingCapacity: epoch.count + 1 + DecimalDigits.capacity) { token in
            token.append(copying: epoch)
            token.append(UInt8(ascii: "-"))
            token.append(decimal: version)
        }
    }
}
