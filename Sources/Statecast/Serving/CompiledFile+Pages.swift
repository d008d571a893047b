import CPages
import HTTPServer

extension CompiledFile {
    /// The files that every server has, by their paths.
    static let pages: [String: CompiledFile] = {
        let bytes = (0..<cpages_byte_count()).map(cpages_byte)
        let contents = bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false)
        let paths = names.flatMap { folder, names in
            names.split(separator: " ").map { "\(folder)/\($0)" }
        }
        precondition(paths.count == contents.count, "CPages.c has a file for each name.")
        return Dictionary(
            uniqueKeysWithValues: zip(paths, contents.map { CompiledFile(Array($0)) }))
    }()

    /// By their folders, in the order of CPages.c.
    private static let names: KeyValuePairs<String, String> = [
        "client": """
        backoff.js connection.js patch.js session.js sharing.js statecast.d.ts \
        statecast.js token.js transports.js
        """,
        "client/style": "components.css layout.css mark.svg tokens.css",
        "client/ui": "dialog.js dom.js session-page.js terminal.js",
        "inspect/timeline": """
        changes.js detail.css detail.js entries.css entry-list.js entry.js faults.js \
        filter.js grid.js index.html place.js play-dialog.js player.css player.js \
        recording.js replay.js row.js session-log.js steps.js summary.js timeline.css \
        timeline.js tree.js welcome.css welcome.js words.js workspace.js
        """,
    ]
}
