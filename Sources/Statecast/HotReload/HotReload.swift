import Bytes
import HTTPMessages
import HTTPServer
import Journaling
import Logging
import Redux
import Sessions
import Sockets
import StateCoding
import Threads

/// Sessions that an operator has chosen, as files to be edited: a folder an application, `demo.json` a
/// session. An edit is an entry of its session, and each change of the session stands in the file.
///
/// One thread has all to do with the files. The loops tell it of the sessions.
final class HotReload: Sendable {
    /// What a loop tells of a session.
    enum Message {
        /// It is not any more as it was last shown.
        case changed(SessionName)
        /// Asked for its state: nil where it is not in memory, or may not be shown now.
        case shown(SessionName, (token: Token, json: [UInt8])?)
        /// It has taken the edit of this print, and the token is the state's.
        case taken(SessionName, UInt64, Token)
        /// It has not taken the edit of this print, or it cannot be shown.
        case refused(SessionName, UInt64?, [DecodingFailure])
        case stopped
    }

    /// The most sessions that have files.
    static let fileCount = 100
    /// A file is written once in so long at most.
    static let pause = Duration.milliseconds(250)
    /// So long a file may not be there, while an editor puts another in its place.
    static let absence = Duration.seconds(1)
    /// So long the others wait for one that is asked.
    static let patience = Duration.seconds(10)

    /// One server has it.
    fileprivate let root: PrivateFolder
    /// The applications' names, and their folders.
    let mounts: [String]
    let folders: [EditedFolder]
    let watch: FolderWatch
    let mailbox: Mailbox<Message>
    /// The bytes of a file: indented, a state takes more than its limit.
    let fileByteCount: Int
    let logger: Logger
    private let directory: SessionDirectory

    /// Makes the folders where they are missing; nil where none is configured.
    init?(
        _ configuration: ServerConfiguration, _ mounts: [any MountedApplication],
        _ directory: SessionDirectory
    ) throws(ServerError) {
        guard let path = configuration.hotReloadDirectory else { return nil }
        self.mounts = mounts.filter(\.schema.isReachable).map(\.name)
        self.directory = directory
        logger = configuration.logger
        fileByteCount = 4 * configuration.sessionLimits.stateByteCount + 64 << 10
        do {
            let root = try PrivateFolder(path, lock: "hot-reload.lock", mayBeLink: false)
            folders = try self.mounts.map { mount in
                let name = mount.isEmpty ? "/" : String(mount.dropFirst())
                return try EditedFolder("\(root.path)/\(Self.encoded(name))")
            }
            watch = try FolderWatch(folders + [EditedFolder(root.path)])
            self.root = root
        } catch {
            throw .badDirectory("Hot reload", "\(error)")
        }
        do throws(SystemError) {
            for folder in folders { try folder.begin() }
        } catch {
            throw .badDirectory(
                "Hot reload", "the file system of \(path) cannot exchange or lease files: \(error)")
        }
        mailbox = Mailbox { [watch] in watch.ring() }
    }

    func start() throws(ServerError) {
        do throws(ThreadRefusal) {
            try NamedThread.start(name: "hot-reload") {
                var files = HotFiles(self)
                files.run()
            }
        } catch {
            throw .badDirectory("Hot reload", "no thread: \(Errno(rawValue: error.code))")
        }
    }

    /// From any thread.
    func tell(_ message: Message) { mailbox.post(message) }

    /// Has the loop of a session do something.
    func post(
        to name: SessionName, _ body: @escaping @Sendable (HotSessions, isolated EventLoop) -> Void
    ) {
        directory.post(name) { registry, loop in
            if let sessions = registry.hotSessions { body(sessions, loop) }
        }
    }

    // MARK: Names

    /// The session of a file; nil where the file is none of a session's: an editor's own for instance.
    func session(of file: String, in folder: Int) -> SessionName? {
        guard file.hasSuffix(".json"), let id = PercentCoding.decoded(file.dropLast(5).utf8),
            SessionID(id) != nil, Self.encoded(id) == file.dropLast(5)
        else { return nil }
        return SessionName(mount: mounts[folder], id: id)
    }

    /// The place of the folder of a session's files, and their name without its end.
    func place(of session: SessionName) -> (folder: Int, stem: String) {
        guard let folder = mounts.firstIndex(of: session.mount) else {
            preconditionFailure("The session of a file is of an application that has a folder.")
        }
        return (folder, Self.encoded(session.id))
    }

    /// A name without dots and slashes: what stands behind a dot is the server's, or an editor's.
    private static func encoded(_ name: String) -> String {
        Hexadecimal.percentEncoded(name).replacing(".", with: "%2E")
    }
}

/// The files of chosen sessions, on the thread that has them.
private struct HotFiles {
    private let reload: HotReload
    private var files: [SessionName: HotFile] = [:]
    /// Those whose file may have changed, and whether somebody has just saved it.
    private var changed: [SessionName: Bool] = [:]
    /// The session that is asked for its state, or to take an edit, and until when the others wait: there is one
    /// state at a time, and the loops have other work between two.
    private var asked: (session: SessionName, until: Instant)?
    private var isGone = false

    init(_ reload: HotReload) { self.reload = reload }

    mutating func run() {
        var changes = listAll()
        while true {
            for change in changes { note(change) }
            for message in reload.mailbox.takeAll() {
                if case .stopped = message { return reload.root.unlock() }
                take(message)
            }
            let now = Instant.read()
            if let asked, asked.until <= now { self.asked = nil }
            while asked == nil, goOn(at: now) {}
            let due = asked?.until ?? files.values.map(\.due).min() ?? .never
            changes = reload.watch.wait(until: due) ?? listAll()
        }
    }

    private mutating func note(_ change: FolderWatch.Change) {
        if change.folder == reload.folders.count {
            var gone = reload.folders.filter {
                $0.path.hasSuffix("/\(change.name)") && !$0.isThere
            }.map(\.path)
            // The folder of all of them, which is told of once.
            if change.name.isEmpty, !isGone { (isGone, gone) = (true, [reload.root.path]) }
            for path in gone {
                reload.logger.error(
                    "\(path) has gone: nothing there counts until the server starts anew")
            }
        } else if let session = reload.session(of: change.name, in: change.folder) {
            changed[session, default: false] = changed[session] == true || change.isSaved
        }
    }

    /// Looks at a file that may have changed, or at one that is due.
    ///
    /// - Returns: false where there is none.
    private mutating func goOn(at now: Instant) -> Bool {
        if let (session, isSaved) = changed.popFirst() {
            look(at: session, isSaved)
        } else if let (session, file) = HotFile.next(of: files, at: now) {
            if file.isMissing {
                look(at: session)
            } else {
                files[session]?.wasAsked(at: now)
                ask(session) { sessions, _ in sessions.show(session) }
            }
        } else {
            return false
        }
        return true
    }

    private mutating func ask(
        _ session: SessionName,
        _ body: @escaping @Sendable (HotSessions, isolated EventLoop) -> Void
    ) {
        asked = (session, Instant.read().advanced(by: HotReload.patience))
        reload.post(to: session, body)
    }

    /// What there is, at the start and where events were lost.
    private func listAll() -> [FolderWatch.Change] {
        var list: [FolderWatch.Change] = []
        for (place, folder) in reload.folders.enumerated() {
            do throws(SystemError) {
                let names = try folder.names(limit: 10 * HotReload.fileCount)
                list += names.map { (place, $0, false) }
            } catch {
                reload.logger.error("A folder of hot reload cannot be read: \(error)")
            }
        }
        return list
    }

    // MARK: Files

    /// A session's file may have changed.
    private mutating func look(at session: SessionName, _ isSaved: Bool = false) {
        let (folder, stem) = reload.place(of: session)
        do throws(SystemError) {
            let found = try reload.folders[folder].read(
                "\(stem).json", limit: reload.fileByteCount, isSaved: isSaved)
            guard let found else {
                files[session]?.isBack()
                return
            }
            look(at: found, of: session, isSaved)
        } catch {
            guard error.code != .noSuchFile else { return noteAbsence(of: session) }
            files[session]?.wasUnreadable()
            let detail =
                switch error.code {
                case .symbolicLink: "It is a link, and none is followed."
                case .accessDenied: "It may not be read, or belongs to another user."
                case .invalidArgument: "It is no file."
                case .tooLarge: "It has more than \(reload.fileByteCount) bytes."
                default: "\(error)"
                }
            report([.edit(detail)], of: session)
        }
    }

    private mutating func look(at found: EditedFile, of session: SessionName, _ isSaved: Bool) {
        guard files[session] != nil || files.count < HotReload.fileCount else {
            let detail = "\(HotReload.fileCount) sessions have files, and no more may."
            return report([.edit(detail)], of: session)
        }
        switch files[session, default: HotFile()].look(at: found, isSaved: isSaved) {
        case nil: break
        case .settled:
            removeReports(of: session)
            follow(session, isAwaited: found.isBlank)
        case .edited:
            do throws(DecodingFailure) {
                let (state, token) = try files[session, default: HotFile()].judge(found)
                follow(session, isAwaited: false)
                ask(session) { sessions, loop in
                    sessions.take(state, of: token, found.print, to: session, on: loop)
                }
            } catch {
                report([error], of: session, in: found.bytes)
                follow(session, isAwaited: true)
            }
        }
    }

    private func follow(_ session: SessionName, isAwaited: Bool) {
        reload.post(to: session) { sessions, loop in
            sessions.follow(session, isAwaited: isAwaited, on: loop)
        }
    }

    private mutating func noteAbsence(of session: SessionName) {
        guard files[session]?.isGone(at: .read()) == true else { return }
        removeReports(of: session)
        files[session] = nil
        reload.post(to: session) { sessions, _ in sessions.leave(session) }
    }

    // MARK: Sessions

    private mutating func take(_ message: HotReload.Message) {
        switch message {
        case .changed(let session): files[session]?.hasNews = true
        case .shown(let session, let state):
            hasAnswered(session)
            if let state { write(state.json, state.token, of: session) }
        case .taken(let session, let edit, let token):
            hasAnswered(session)
            guard files[session]?.judged?.edit.print == edit else { return }
            removeReports(of: session)
            files[session]?.wasTaken(as: token)
            log(.notice, "An edited state was taken as \(token).", of: session)
            // It may have been saved again meanwhile.
            look(at: session)
        case .refused(let session, let edit, let faults):
            hasAnswered(session)
            let edit = edit.flatMap { files[session]?.wasRefused($0) }
            report(faults, of: session, in: edit?.bytes ?? [])
            if edit != nil { look(at: session) }
        case .stopped: break
        }
    }

    private mutating func hasAnswered(_ session: SessionName) {
        if asked?.session == session { asked = nil }
    }

    /// Writes a state into the session's file or, while an edit stands there, beside it.
    private mutating func write(_ json: [UInt8], _ token: Token, of session: SessionName) {
        guard let file = files[session] else { return }
        let text = StateEdit.text(of: json, token, limit: reload.fileByteCount)
        if !file.hasEdit { removeReports(of: session) }
        switch put(text, file.hasEdit ? "now.json" : "json", of: session, where: file.isKnown) {
        case true: files[session]?.wasWritten(text)
        case false where !file.hasEdit:
            files[session]?.hasNews = true
            look(at: session)
        default: break
        }
    }

    /// Writes the file of an end that a session has, unless what stands there may not go; all but the
    /// session's own are made.
    ///
    /// - Returns: whether it was written; nil where it cannot be.
    private func put(
        _ text: [UInt8], _ end: String, of session: SessionName,
        where mayGo: (EditedFile) -> Bool
    ) -> Bool? {
        let (folder, stem) = reload.place(of: session)
        do throws(SystemError) {
            return try reload.folders[folder].replace(
                "\(stem).\(end)", by: text, limit: reload.fileByteCount, makes: end != "json",
                where: mayGo)
        } catch {
            log(.error, "A file of hot reload cannot be written: \(error)", of: session)
            return nil
        }
    }

    // MARK: Reports

    /// Says why an edit does not count, in the log and beside the file.
    private func report(_ faults: [DecodingFailure], of session: SessionName, in text: [UInt8] = [])
    {
        let stem = reload.place(of: session).stem
        var lines = faults.map { $0.line(about: "\(stem).json", text) }
        for line in lines { log(.warning, "An edit does not count: \(line)", of: session) }
        if !text.isEmpty {
            lines.append(
                "Nothing has changed. \(stem).now.json has the state, unless it was edited.")
        }
        let report = lines.joined(separator: "\n") + "\n"
        _ = put(Array(report.utf8), "error.txt", of: session) { _ in true }
    }

    private func removeReports(of session: SessionName) {
        let (folder, stem) = reload.place(of: session)
        reload.folders[folder].remove("\(stem).error.txt")
        let beside = "\(stem).now.json"
        if let found = try? reload.folders[folder].read(beside, limit: reload.fileByteCount),
            files[session]?.isKnown(found) == true
        {
            reload.folders[folder].remove(beside)
        }
    }

    private func log(_ level: Logger.Level, _ sentence: String, of session: SessionName) {
        reload.logger.log(level: level, "\(sentence)", metadata: ["session": "\(session)"])
    }
}
