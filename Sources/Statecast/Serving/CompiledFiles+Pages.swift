import CPages
import HTTPServer

extension CompiledFiles {
    /// The files that every server has. Each is read when it is first asked for: a start costs nothing.
    static let pages = CompiledFiles(
        paths: names.flatMap { folder, names in
            names.split(separator: " ").map { "\(folder)/\($0)" }
        }
    ) { number in
        (cpages_start(number)..<cpages_start(number + 1) - 1).map(cpages_byte)
    }

    /// By their folders, in the order of CPages.c.
    private static let names: KeyValuePairs<String, String> = [
        "client": """
        backoff.js clock.js connection.js devtools.js events.js forecast.js listeners.js \
        mirror.js package.json patch.js problems.js queue.js session.js sharing.js \
        statecast.d.ts statecast.js text-field.js token.js transports.js
        """,
        "client/style": "components.css layout.css mark.svg tokens.css",
        "client/ui": "dialog.js dom.js session-page.js terminal.js",
        "inspect/timeline": """
        beside.js changes.js comparison.js detail.css detail.js entries.css entry-list.js \
        entry.js faults.js filter.js grid.js index.html json-text.js place.js play-dialog.js \
        player.css player.js recording.js replay.js row.js saving.js search.js session-log.js \
        sides.js steps.js summary.js timeline.css timeline.js tree.js welcome.css welcome.js \
        words.js workspace.js
        """,
    ]
}
