import Foundation
import Testing

/// A page that has loaded the JavaScript client, and no application.
private func withClient(_ body: (Browser) async throws -> Void) async throws {
    let server = try StatecastServer()
    let browser = try await Browser.take()
    try await browser.open("\(server.base)/livez")
    try await browser.loadClient()
    try await body(browser)
    try await browser.quit()
}

extension Browser {
    fileprivate func loadClient() async throws {
        try await run(
            """
            return import('/client/statecast.js').then(client => {
              window.client = client;
              window.change = (text, operations) =>
                client.applyPatch(JSON.parse(text), JSON.parse(operations));
            });
            """)
    }

    /// The value of an expression in the page, as a text.
    fileprivate func text(_ expression: String) async throws -> String? {
        try await run("return String(\(expression))") as? String
    }
}

@Suite(.serialized) struct `A patch in the JavaScript client` {
    @Test func `leaves what it does not touch the same value`() async throws {
        try await withClient { browser in
            try await browser.run(
                """
                window.before = JSON.parse('{"list":[{"id":1},{"id":2}],"other":{"deep":[]}}');
                window.after = client.applyPatch(before, [
                  { op: 'replace', path: '/list/1/id', value: 3 },
                  { op: 'add', path: '/list/0', value: { id: 0 } }]);
                """)
            #expect(
                try await browser.text("JSON.stringify(after.list)")
                    == #"[{"id":0},{"id":1},{"id":3}]"#)
            #expect(try await browser.text("after.other === before.other") == "true")
            #expect(try await browser.text("after.list[1] === before.list[0]") == "true")
            #expect(
                try await browser.text("JSON.stringify(before)")
                    == #"{"list":[{"id":1},{"id":2}],"other":{"deep":[]}}"#)
        }
    }

    @Test func `that replaces a whole list leaves its equal elements the same`() async throws {
        try await withClient { browser in
            try await browser.run(
                """
                window.before = JSON.parse('{"list":[{"id":1},{"id":2,"a":{}},{"id":3}]}');
                const list = [{ id: 3 }, { id: 2, a: {}, b: 1 }, { id: 9 }, { id: 1 }];
                window.after = client.applyPatch(before, [{ op: 'replace', path: '/list', value: list }]);
                window.equal = client.reconcile(before, JSON.parse(JSON.stringify(before)));
                """)
            #expect(try await browser.text("after.list[0] === before.list[2]") == "true")
            #expect(try await browser.text("after.list[1].a === before.list[1].a") == "true")
            #expect(try await browser.text("after.list[3] === before.list[0]") == "true")
            #expect(try await browser.text("after.list[2].id + after.list[1].b") == "10")
            #expect(try await browser.text("equal === before") == "true")
        }
    }

    @Test func `puts a member before another one, and gives no name a meaning`() async throws {
        try await withClient { browser in
            try await browser.run(
                #"""
                window.after = change('{"a":1,"c":{"__proto__":{"x":1}}}', `[
                  {"op":"add","path":"/b","value":2,"before":"c"},
                  {"op":"add","path":"/__proto__","value":{"polluted":1},"before":"a"},
                  {"op":"add","path":"/__proto__/deep","value":1},
                  {"op":"add","path":"/c/constructor","value":{}},
                  {"op":"add","path":"/c/constructor/prototype","value":7,"xyz":1},
                  {"op":"replace","path":"/c/__proto__/x","value":2}]`);
                """#)
            #expect(
                try await browser.text("JSON.stringify(after)")
                    == #"{"__proto__":{"polluted":1,"deep":1},"a":1,"b":2,"#
                    + #""c":{"__proto__":{"x":2},"constructor":{"prototype":7}}}"#)
            #expect(try await browser.text("{}.polluted ?? {}.deep") == "undefined")
            #expect(
                try await browser.text("Object.getPrototypeOf(after) === Object.prototype")
                    == "true")
        }
    }

    private static let unfit = [
        (#"{"op":"remove","path":"/none"}"#, "has no such member"),
        (#"{"op":"remove","path":"/toString"}"#, "has no such member"),
        (#"{"op":"replace","path":"/constructor/name","value":1}"#, "has no such member"),
        (#"{"op":"add","path":"/__proto__/x","value":1}"#, "has no such member"),
        (#"{"op":"add","path":"/list/2","value":1}"#, "The array has 1 elements."),
        (#"{"op":"remove","path":"/list/-"}"#, "has no index"),
        (#"{"op":"add","path":"/list/00","value":1}"#, "has no index"),
        (#"{"op":"replace","path":"/list/length","value":0}"#, "has no index"),
        (#"{"op":"add","path":"/list/99999999999999999999","value":1}"#, "has 1 elements"),
        (#"{"op":"add","path":"/list/0/x","value":1}"#, "no object and no array"),
        (#"{"op":"add","path":"/x","value":1,"before":"none"}"#, "\"before\" names"),
        (#"{"op":"remove","path":""}"#, "cannot be removed"),
        (#"{"op":"remove","path":"list"}"#, "no JSON Pointer"),
        (#"{"op":"remove","path":"/~2"}"#, "no JSON Pointer"),
        (#"{"op":"remove"}"#, "no JSON Pointer"),
        (#"{"op":"add","path":"/x"}"#, "has no value"),
        (#"{"op":"move","path":"/x","from":"/list"}"#, "Only add, remove and replace"),
        ("null", "Only add"),
    ]

    @Test func `that does not fit is refused with its index and path`() async throws {
        try await withClient { browser in
            for (operation, detail) in Self.unfit {
                let message = try await browser.run(
                    """
                    const [operation] = arguments;
                    try {
                      change('{"list":[1],"a":1}', `[{"op":"remove","path":"/a"},${operation}]`);
                    } catch (error) {
                      const path = JSON.parse(operation)?.path ?? '';
                      return [error instanceof client.PatchError, error.operation,
                        error.path === path, error.message].join(' ');
                    }
                    """, [operation])
                let text = try #require(message as? String, "\(operation) was applied")
                #expect(text.hasPrefix("true 1 true operation 1 at "), "\(text)")
                #expect(text.contains(detail), "\(text)")
            }
        }
    }
}

/// The client's end of a stream of patches, played by a script: the page's `EventSource` is a stand-in
/// that says what the test says.
@Suite(.serialized) struct `A stream of patches` {
    private static let stage = """
        window.streams = [];
        window.EventSource = class extends EventTarget {
          constructor(url) {
            super();
            this.parameters = new URL(url).searchParams;
            window.streams.push(this);
          }
          close() { this.isClosed = true; }
        };
        window.say = (type, id, content) => {
          const data = typeof content === 'string' ? content : JSON.stringify(content);
          const event = new MessageEvent(type, { data, lastEventId: id });
          const stream = window.streams.at(-1);
          if (type === 'message') stream.onmessage(event); else stream.dispatchEvent(event);
        };
        window.begin = state => say('snapshot', 'e-4', { version: 4, state });
        window.patch = (id, from, version, ...ops) => say('patch', id, { from, version, ops });
        window.set = (path, value) => ({ op: 'replace', path, value });
        window.mirror = new client.Mirror('/counter', 'scripted', { patch: true });
        window.told = [];
        mirror.onState((state, token) => told.push(`${token} ${JSON.stringify(state)}`));
        """

    private func withStream(_ body: (Browser) async throws -> Void) async throws {
        try await withClient { browser in
            try await browser.run(Self.stage)
            try await body(browser)
        }
    }

    @Test func `begins with a snapshot, and tells of each state`() async throws {
        try await withStream { browser in
            #expect(try await browser.text("streams[0].parameters") == "patch=json-patch")
            try await browser.run(
                """
                begin({ a: { x: 1 }, b: [1] });
                window.first = mirror.state;
                patch('e-6', 4, 6, set('/b/0', 2));
                patch('e-9', 5, 9, set('/b/0', 3), { op: 'add', path: '/c', value: 1 });
                """)
            #expect(
                try await browser.text("told.join('; ')")
                    == #"e-4 {"a":{"x":1},"b":[1]}; e-6 {"a":{"x":1},"b":[2]}; "#
                    + #"e-9 {"a":{"x":1},"b":[3],"c":1}"#)
            #expect(try await browser.text("mirror.state.a === first.a") == "true")
            #expect(try await browser.text("mirror.version") == "9")
            #expect(try await browser.text("streams.length") == "1")
        }
    }

    /// What the state of version 4 cannot take.
    private static let gaps = [
        "patch('e-8', 5, 8, set('/n', 8))", "patch('e-4', 3, 4, set('/n', 8))",
        "patch('f-8', 4, 8, set('/n', 8))", "patch('e-8', 4, 8, set('/none', 8))",
        "patch('e-8', 4, 8, set('/n', 8), { op: 'remove', path: '/n/n' })",
        "say('patch', 'e-8', '{\"from\":4')", "say('patch', 'e-8', 'null')",
        "say('patch', 'e-8', { from: 4, version: 8 })", "patch('e-8.b', 4, 8, set('/n', 8))",
    ]

    @Test func `with a gap is opened again, to begin with a snapshot`() async throws {
        try await withClient { browser in
            for gap in Self.gaps {
                try await browser.reload()
                try await browser.loadClient()
                try await browser.run(Self.stage)
                try await browser.run(
                    "begin({ n: 4, same: {} }); window.same = mirror.state.same; \(gap);")
                #expect(try await browser.text("streams[0].isClosed") == "true", "\(gap)")
                let state = try await browser.text("JSON.stringify(mirror.state)")
                #expect(state == #"{"n":4,"same":{}}"#, "\(gap)")
                try await browser.wait(for: "streams.length === 2")
                #expect(try await browser.text("streams[1].parameters") == "patch=json-patch")
                try await browser.run(
                    "say('snapshot', 'e-8', { version: 8, state: { n: 8, same: {} } })")
                #expect(try await browser.text("told.at(-1)") == #"e-8 {"n":8,"same":{}}"#)
                #expect(try await browser.text("mirror.state.same === same") == "true")
            }
        }
    }

    @Test func `shows what another viewer sees at the same version`() async throws {
        try await withStream { browser in
            try await browser.run(
                """
                say('snapshot', 'e-5.a', { version: 5, state: { seat: 'a', cards: [1] } });
                say('snapshot', 'e-5.b', { version: 5, state: { seat: 'b', cards: [2] } });
                patch('e-9.b', 5, 9, { op: 'add', path: '/cards/1', value: 7 });
                """)
            #expect(try await browser.text("told.at(-1)") == #"e-9.b {"seat":"b","cards":[2,7]}"#)
            #expect(try await browser.text("streams.length") == "1")
        }
    }

    @Test func `that broke goes on with patches from what is shown`() async throws {
        try await withStream { browser in
            try await browser.run("begin({ n: 4 }); streams[0].onerror(new Event('error'));")
            try await browser.wait(for: "streams.length === 2")
            #expect(
                try await browser.text("streams[1].parameters")
                    == "patch=json-patch&last_event_id=e-4")
            try await browser.run("patch('e-7', 4, 7, set('/n', 7))")
            #expect(try await browser.text("told.at(-1)") == #"e-7 {"n":7}"#)
        }
    }

    @Test func `whose part went out of scope begins anew with a snapshot`() async throws {
        try await withStream { browser in
            try await browser.run(
                "begin({ n: 4 }); say('out-of-scope', 'e-5', {}); streams[0].onerror(new Event('error'));"
            )
            #expect(try await browser.text("mirror.state") == "undefined")
            try await browser.wait(for: "streams.length === 2")
            #expect(try await browser.text("streams[1].parameters") == "patch=json-patch")
            try await browser.run("say('snapshot', 'e-6', { version: 6, state: { n: 6 } })")
            #expect(try await browser.text("told.at(-1)") == #"e-6 {"n":6}"#)
        }
    }

    @Test func `of a server that knows none shows its states`() async throws {
        try await withStream { browser in
            try await browser.run(
                """
                say('message', 'e-1', { n: 1, same: {} });
                window.same = mirror.state.same;
                say('message', 'e-2', { n: 2, same: {} });
                """)
            #expect(try await browser.text("told.at(-1)") == #"e-2 {"n":2,"same":{}}"#)
            #expect(try await browser.text("mirror.state.same === same") == "true")
        }
    }
}

@Suite(.serialized) struct `Patches of a server` {
    @Test func `bring a page to the server's state, and a page that was away`() async throws {
        try await withClient { browser in
            try await browser.run(
                """
                window.kinds = [];
                const recreate = () => client.createSession('/counter', 'patched');
                window.mirror = new client.Mirror('/counter', 'patched', { patch: true, recreate });
                window.listen = () => {
                  const query = window.seen ? `&last_event_id=${window.seen}` : '';
                  const path = '/counter/sessions/patched/events?patch=json-patch' + query;
                  window.stream = new EventSource(path);
                  for (const kind of ['snapshot', 'patch']) {
                    stream.addEventListener(kind, event => {
                      kinds.push(kind);
                      window.seen = event.lastEventId;
                    });
                  }
                };
                """)
            try await browser.wait(for: "mirror.state?.count === 0")
            try await browser.run("listen()")
            try await browser.wait(for: "kinds.join() === 'snapshot'")
            try await browser.run("mirror.dispatch({ type: 'incremented', payload: { by: 2 } })")
            try await browser.wait(for: "mirror.state.count === 2")
            try await browser.wait(for: "kinds.join() === 'snapshot,patch'")
            try await browser.run(
                """
                stream.close();
                return mirror.dispatch({ type: 'incremented', payload: { by: 3 } });
                """)
            try await browser.run("listen()")
            try await browser.wait(for: "kinds.join() === 'snapshot,patch,patch'")
            #expect(try await browser.text("mirror.state.count") == "5")
        }
    }
}
