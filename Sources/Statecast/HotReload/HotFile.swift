import Bytes
import Sessions
import Sockets
import StateCoding

/// What is known of a session's file, and whether it is the server's to write. A value: it does nothing.
struct HotFile {
    /// What stands in a file that was looked at.
    enum Finding {
        /// Nothing that a person has written, after an edit or for the first time.
        case settled
        /// An edit that was not judged yet.
        case edited
    }

    /// The print of what stood in the file when it was last looked at.
    private var seen: UInt64?
    /// The session is asked whether it takes the edit.
    private(set) var judged: (edit: EditedFile, token: Token)?
    /// The print of the edit that it has not taken.
    private var refused: UInt64?
    /// The token of the last edit that it has taken, and that of the state which this has made.
    private var taken: (token: Token, made: Token)?
    /// The print of the text of the session that stands in the file, or of the one beside it: the server has
    /// written it, or the session has taken it. Nil until then.
    private var written: UInt64?
    /// The session is not any more as it was last shown.
    var hasNews = false
    private var next = Instant(nanoseconds: 0)
    /// The file is not there, and the session is followed until then: editors put another in its place.
    private var end: Instant?

    /// An edit stands in the file that the session has not taken.
    var hasEdit: Bool { judged != nil || refused != nil }

    /// The session is asked for its state at this instant, or the file looked for.
    var due: Instant { end ?? (hasNews && judged == nil ? next : .never) }

    /// The one that is due longest: however many change all the time, each has its turn.
    static func next<Key>(
        of files: [Key: HotFile], at now: Instant
    ) -> (key: Key, value: HotFile)? {
        files.min { $0.value.due < $1.value.due }.flatMap { $0.value.due <= now ? $0 : nil }
    }

    mutating func wasAsked(at now: Instant) {
        hasNews = false
        next = now.advanced(by: HotReload.pause)
    }

    var isMissing: Bool { end != nil }

    /// The file is not there.
    ///
    /// - Returns: it has not come back in time.
    mutating func isGone(at now: Instant) -> Bool {
        let end = end ?? now.advanced(by: HotReload.absence)
        self.end = end
        return now >= end
    }

    /// The file may be written over: no edit stands in it that the session does not have.
    func isKnown(_ file: EditedFile) -> Bool {
        file.isBlank || written.map { $0 == file.print } ?? file.isAsWritten
    }

    mutating func wasWritten(_ text: [UInt8]) { written = EditedFile(text).print }

    /// - Parameter isSaved: somebody has done so just now, perhaps as it was.
    /// - Returns: nil where there is nothing new.
    mutating func look(at file: EditedFile, isSaved: Bool = false) -> Finding? {
        end = nil
        // Once that is judged, the file is looked at again.
        guard judged == nil else { return nil }
        guard isKnown(file) else { return file.print == refused && !isSaved ? nil : .edited }
        let isNew =
            seen == nil || refused != nil || file.isBlank && (isSaved || seen != file.print)
        if refused != nil { hasNews = true }
        (seen, refused) = (file.print, nil)
        return isNew ? .settled : nil
    }

    /// Begins to judge an edit: its state counts against a token, its own or, where its writer goes on from
    /// what they have written before, that of the state which this has made.
    mutating func judge(_ file: EditedFile) throws(DecodingFailure) -> (state: [UInt8], of: Token) {
        (seen, refused) = (file.print, file.print)
        let (state, token) = try StateEdit.read(file.bytes)
        (judged, refused) = ((file, token), nil)
        return (state, taken?.token == token ? taken?.made ?? token : token)
    }

    /// The file is there, and is looked at once its writer has closed it.
    mutating func isBack() { end = nil }

    /// A link for instance stands there: it is left alone, as an edit is.
    mutating func wasUnreadable() { (refused, end) = (0, nil) }

    /// The session has taken the edit, which has made a state of this token.
    mutating func wasTaken(as made: Token) {
        guard let judged = judged.take() else { return }
        taken = (judged.token, made)
        (written, refused, hasNews) = (judged.edit.print, nil, true)
    }

    /// The session has not taken the edit of this print.
    ///
    /// - Returns: the edit; nil where it is not judged.
    mutating func wasRefused(_ edit: UInt64) -> EditedFile? {
        guard judged?.edit.print == edit, let judged = judged.take() else { return nil }
        (refused, hasNews) = (edit, true)
        return judged.edit
    }
}

extension EditedFile {
    /// Whoever makes a file of a session's name without anything in it wants the state.
    var isBlank: Bool { bytes.allSatisfy { $0 == UInt8(ascii: " ") || (9...13).contains($0) } }
}
