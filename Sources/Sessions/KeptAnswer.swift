import Accounting
import Bytes

/// An answer about the past, which may be asked for again, or is still being sent.
struct KeptAnswer {
    let question: AnyHashable
    /// What it is of.
    let version: UInt64
    /// The client who has had it made.
    let asker: Accounts.Client
    /// Nil: it is only being sent.
    var answer: AnyObject?
    let byteCount: Int
    weak let bytes: LargeBytes?
}
