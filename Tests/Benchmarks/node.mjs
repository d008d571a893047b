// The same task on Node's own HTTP server: a counter and twenty records, kept for each session.
//
//     node node.mjs PORT
import { createServer } from 'node:http';

const sessions = new Map();

function session(name) {
    let found = sessions.get(name);
    if (!found) {
        const items = Array.from({ length: 20 }, (_, id) =>
            ({ id, name: `item-${id}`, done: id % 2 === 0, n: id * 7 }));
        found = { version: 0, state: { counter: 0, items }, watchers: new Set() };
        sessions.set(name, found);
    }
    return found;
}

const frame = ({ version, state }) => `id: node-${version}\ndata: ${JSON.stringify(state)}\n\n`;

function answer(response, status, value) {
    const body = JSON.stringify(value);
    response.writeHead(status, {
        'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
}

function post(target, request, response) {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part) => { body += part; });
    request.on('end', () => {
        target.state.counter += JSON.parse(body).payload.by;
        target.version += 1;
        answer(response, 200, { version: target.version });
        if (target.watchers.size === 0) return;
        const bytes = frame(target);
        for (const watcher of target.watchers) watcher.write(bytes);
    });
}

function watch(target, response) {
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { 'Content-Type': 'text/event-stream', Connection: 'close' });
    response.write(frame(target));
    target.watchers.add(response);
    response.on('close', () => target.watchers.delete(response));
}

createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const name = request.url.match(/\/sessions\/([^/]+)/)?.[1];
    if (!name) return answer(response, 404, {});
    const target = session(name);
    if (request.method === 'POST') post(target, request, response);
    else if (request.method === 'PUT') answer(response, 201, {});
    else watch(target, response);
}).listen(Number(process.argv[2]), '127.0.0.1', 4096);
