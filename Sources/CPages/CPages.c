// The files that every server has: the JavaScript client, and the timeline of a session. Each ends with
// a zero byte, which no text has; their names stand in the same order in CompiledFiles+Pages.swift.
#include "CPages.h"
#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char pages[] = {
#embed "client/backoff.js" suffix(, 0,)
#embed "client/clock.js" suffix(, 0,)
#embed "client/connection.js" suffix(, 0,)
#embed "client/devtools.js" suffix(, 0,)
#embed "client/events.js" suffix(, 0,)
#embed "client/forecast.js" suffix(, 0,)
#embed "client/listeners.js" suffix(, 0,)
#embed "client/mirror.js" suffix(, 0,)
#embed "client/package.json" suffix(, 0,)
#embed "client/patch.js" suffix(, 0,)
#embed "client/problems.js" suffix(, 0,)
#embed "client/queue.js" suffix(, 0,)
#embed "client/session.js" suffix(, 0,)
#embed "client/sharing.js" suffix(, 0,)
#embed "client/statecast.d.ts" suffix(, 0,)
#embed "client/statecast.js" suffix(, 0,)
#embed "client/text-field.js" suffix(, 0,)
#embed "client/token.js" suffix(, 0,)
#embed "client/transports.js" suffix(, 0,)
#embed "client/style/components.css" suffix(, 0,)
#embed "client/style/layout.css" suffix(, 0,)
#embed "client/style/mark.svg" suffix(, 0,)
#embed "client/style/tokens.css" suffix(, 0,)
#embed "client/ui/dialog.js" suffix(, 0,)
#embed "client/ui/dom.js" suffix(, 0,)
#embed "client/ui/session-page.js" suffix(, 0,)
#embed "client/ui/terminal.js" suffix(, 0,)
#embed "inspect/timeline/beside.js" suffix(, 0,)
#embed "inspect/timeline/changes.js" suffix(, 0,)
#embed "inspect/timeline/comparison.js" suffix(, 0,)
#embed "inspect/timeline/detail.css" suffix(, 0,)
#embed "inspect/timeline/detail.js" suffix(, 0,)
#embed "inspect/timeline/entries.css" suffix(, 0,)
#embed "inspect/timeline/entry-list.js" suffix(, 0,)
#embed "inspect/timeline/entry.js" suffix(, 0,)
#embed "inspect/timeline/faults.js" suffix(, 0,)
#embed "inspect/timeline/filter.js" suffix(, 0,)
#embed "inspect/timeline/grid.js" suffix(, 0,)
#embed "inspect/timeline/index.html" suffix(, 0,)
#embed "inspect/timeline/json-text.js" suffix(, 0,)
#embed "inspect/timeline/place.js" suffix(, 0,)
#embed "inspect/timeline/play-dialog.js" suffix(, 0,)
#embed "inspect/timeline/player.css" suffix(, 0,)
#embed "inspect/timeline/player.js" suffix(, 0,)
#embed "inspect/timeline/recording.js" suffix(, 0,)
#embed "inspect/timeline/replay.js" suffix(, 0,)
#embed "inspect/timeline/row.js" suffix(, 0,)
#embed "inspect/timeline/saving.js" suffix(, 0,)
#embed "inspect/timeline/search.js" suffix(, 0,)
#embed "inspect/timeline/session-log.js" suffix(, 0,)
#embed "inspect/timeline/sides.js" suffix(, 0,)
#embed "inspect/timeline/steps.js" suffix(, 0,)
#embed "inspect/timeline/summary.js" suffix(, 0,)
#embed "inspect/timeline/timeline.css" suffix(, 0,)
#embed "inspect/timeline/timeline.js" suffix(, 0,)
#embed "inspect/timeline/tree.js" suffix(, 0,)
#embed "inspect/timeline/welcome.css" suffix(, 0,)
#embed "inspect/timeline/welcome.js" suffix(, 0,)
#embed "inspect/timeline/words.js" suffix(, 0,)
#embed "inspect/timeline/workspace.js" suffix(, 0,)
};

size_t cpages_start(size_t file) {
    size_t start = 0;
    while (file-- > 0 && start < sizeof pages) start += strlen((const char *)pages + start) + 1;
    return start;
}

unsigned char cpages_byte(size_t index) { return index < sizeof pages ? pages[index] : 0; }
