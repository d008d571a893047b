/** A way to follow a session; each stands in for the one before where that does not work. */
export type Mode = "stream" | "longPoll" | "poll";

export type Phase =
  | "connecting"
  | "live"
  | "reconnecting"
  /** The selected part has left the state; following goes on. */
  | "outOfScope"
  /** The session has ended: it will not come again. */
  | "ended"
  /**
   * The server has no such session: it was never made, or it is forgotten. Nothing is made anew by
   * itself; `createSession` and `restart` do.
   */
  | "lost"
  /** Who asks may not see it; `restart` once somebody has signed in. */
  | "unauthorized"
  /** What was asked for is wrong, a view that there is not for instance; `problem` says what. */
  | "refused"
  | "closed";

export interface Status {
  phase: Phase;
  /** The mode in use, which is not the one that was asked for where that does not work. */
  mode: Mode;
  /** Whether another tab's connection is used. */
  isShared: boolean;
  /** Why it is not live, where the server has said it. */
  problem?: Problem;
}

/** A Flux Standard Action. */
export interface Action {
  /** The path of the action's cases, for example `"home/searchEdited"`. */
  type: string;
  payload?: unknown;
  /** Kept in the log; means nothing to the application. */
  meta?: unknown;
}

export interface View {
  name: string;
  arguments?: Record<string, string>;
}

/** How requests are sent. */
export interface RequestOptions {
  /** Fields of each request; a function is called before each, for a token that expires. */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** `"include"` for cookies of another origin. */
  credentials?: RequestCredentials;
  /** What sends requests in place of the global `fetch`. */
  fetch?: typeof fetch;
  /** How long to wait for an answer before the request is sent again, in milliseconds; 10,000. */
  timeout?: number;
  /** How often to try in all where the server cannot be reached or says "later"; 6. */
  attempts?: number;
}

export interface CreateOptions extends RequestOptions {
  /** What the application takes to make a session; an error's pointers lie in it. */
  input?: unknown;
  signal?: AbortSignal;
}

export interface MirrorOptions<State = any, A extends Action = Action> extends RequestOptions {
  /** `"stream"` unless said otherwise. */
  mode?: Mode;
  /** Between two requests in mode `poll`, in milliseconds; 2,000. */
  interval?: number;
  /** A JSON Pointer (RFC 6901) to the part of the state to follow. */
  select?: string;
  /** A projection that the application defines, instead of the state. */
  view?: View;
  /**
   * Who looks: the tabs of a browser that give the same text, and follow the same thing, share one
   * connection where they can. Give the id of the person who is signed in, and `restart` with another
   * one when another one is; a constant will do where everybody sees the same. Without it, or where it
   * is empty, the mirror has a connection of its own.
   */
  identity?: string;
  /** At most one state in so many milliseconds, 1 to 60,000, in mode `stream`; each one unless given. */
  throttle?: number;
  /** Whether the server sends what changed instead of whole states, in mode `stream`; true. */
  patch?: boolean;
  /** How many actions may be on their way at once; one more is refused, `queue-full`; 1,000. */
  queueLimit?: number;
  /**
   * The state as an action is expected to change it, shown until the server has answered: a new value
   * with the unchanged parts of the old one. What it cannot know (ids, authors, times) it leaves to
   * the server; what it does not predict it returns as it is. `key` is the action's own, and stays
   * the same when the function is called again on top of a newer state.
   */
  predict?: (state: State, action: A, key: string) => State;
}

export interface DispatchOptions<State = any> extends RequestOptions {
  /**
   * Refused with 412 unless the session is at this token; `true` names the state shown now, and throws
   * a `TypeError` where there is none.
   */
  ifMatch?: string | true;
  /** A repeat with the same key happens once; made at random unless given. */
  idempotencyKey?: string;
  /**
   * Waits so many seconds for the effects that the action starts, by a repeat of it; the next actions
   * go out meanwhile, in their order.
   */
  settle?: number;
  /** In place of the mirror's, for this action. */
  predict?: (state: State) => State;
  signal?: AbortSignal;
}

export interface Answer {
  version: number;
  token: string;
  changed: boolean;
  dropped?: boolean;
  delayed?: boolean;
  settled?: boolean;
  results?: { version?: number; changed: boolean; dropped?: boolean; delayed?: boolean }[];
}

/** Problem details (RFC 9457). */
export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  pointer?: string;
  known?: string[];
  [member: string]: unknown;
}

/**
 * What can be done about a "no": `again`, the same request later (the client has, `attempts` times);
 * `ask`, a person or the page decides; `giveUp`, it will never be accepted as it is.
 */
export type Reaction = "again" | "ask" | "giveUp";

/** The server's "no", or that there was no answer. */
export class StatecastError extends Error {
  /** The HTTP status; 0 where there was no answer. */
  status: number;
  /**
   * Stable, for example `"empty-comment"`; `"unreachable"`, `"timeout"` and `"queue-full"` where status
   * is 0.
   */
  code: string;
  reaction: Reaction;
  problem: Problem;
  /** The JSON Pointer of the fault in what was sent. */
  pointer: string | null;
  /** Each of several faults. */
  errors: { pointer: string; code: string; detail: string }[];
  /** When to come again, in milliseconds. */
  retryAfter: number | null;
  /** Where the session is, for example after 412. */
  token: string | null;
  /** Of an action: sent again with it, that happens once, whatever `outcome-unknown` leaves open. */
  idempotencyKey: string | null;
  /** What is wrong with a part of what was sent, `"/payload/email"`, in a sentence. */
  fault(pointer: string): string | null;
}

export interface RouteOptions extends RequestOptions {
  /** `"GET"`, and `"POST"` with a body. */
  method?: string;
  /** Sent as JSON; an error's pointers lie in it. */
  body?: unknown;
  /** How often to try in all; once, unless the route takes a repeat. */
  attempts?: number;
  signal?: AbortSignal;
}

/**
 * Asks a route of the application for JSON; undefined where the answer is empty. Throws
 * `StatecastError`.
 */
export function request<Content = any>(path: string, options?: RouteOptions): Promise<Content>;

/** The error that an answer without success tells of, one of a route of your own for instance. */
export function errorOf(response: Response): Promise<StatecastError>;

/**
 * An operation of RFC 6902. An added member of an object goes in front of the member that `before`
 * names, else last; others ignore `before`.
 */
export type PatchOperation =
  | { op: "add"; path: string; value: unknown; before?: string }
  | { op: "remove"; path: string }
  | { op: "replace"; path: string; value: unknown };

/** A patch that does not fit the state. */
export class PatchError extends Error {
  /** The operation's index; null where the patch is no list of operations. */
  operation: number | null;
  /** The operation's path, a JSON Pointer. */
  path: string;
}

/**
 * The state after a patch; what it does not touch is the same value as before (`===`). Integers
 * beyond 2 ** 53 lose digits, and members named like array indices come first. Throws `PatchError`.
 */
export function applyPatch<State = any>(state: State, operations: PatchOperation[]): State;

/** The value `after`, with every part that did not change taken from `before`. */
export function reconcile<Value>(before: unknown, after: Value): Value;

export const modes: readonly Mode[];

/** The parts of a version token; null where the text is none. */
export function parseToken(
  text: string | null | undefined,
): { epoch: string; version: number; suffix: string } | null;

/** Makes a session unless it is there; without an id, with one that nobody guesses. */
export function createSession(mount: string, id?: string, options?: CreateOptions): Promise<string>;

/** Follows a session, which is made if it is not there. */
export function openSession<State = any, A extends Action = Action>(
  mount: string,
  id: string,
  options?: MirrorOptions<State, A> & CreateOptions,
): Promise<Mirror<State, A>>;

/** A store as Redux and React's `useSyncExternalStore` have it, without `dispatch`. */
export interface Selected<Part> {
  getState(this: void): Part | undefined;
  subscribe(this: void, listener: () => void): () => void;
}

/** A live copy of a session's state, or of a part of it. */
export class Mirror<State = any, A extends Action = Action> {
  /** `mount`: `"/counter"`; outside of a page `"https://example.org/counter"`. */
  constructor(mount: string, id: string, options?: MirrorOptions<State, A>);
  readonly mount: string;
  readonly id: string;
  readonly address: { readonly url: string };
  readonly options: MirrorOptions<State, A> & { mode: Mode };
  /** Whether `openSession` has made it: nobody had before, or the server had lost it. */
  readonly isNew: boolean;
  /** What is shown, with predictions; undefined before the first state, and out of scope. */
  readonly state: State | undefined;
  /** As the server said it last. */
  readonly confirmed: State | undefined;
  readonly token: string | null;
  readonly version: number;
  readonly status: Status;
  /** How many actions are on their way, or have changed the state and are not in it yet. */
  readonly pending: number;
  /** The server's clock, as far as answers have told it. */
  readonly clock: ServerClock;
  getState: (this: void) => State | undefined;
  /** Calls back after each change of what is shown; returns how to stop. */
  subscribe: (this: void, listener: () => void) => () => void;
  /** A store of what a function makes of the state, which stays the same value while it is equal. */
  select: <Part>(this: void, selector: (state: State) => Part) => Selected<Part>;
  /**
   * Calls back with every new state, and with the present one at once; with undefined where the
   * selected part has left the state, or the mirror begins anew. Returns how to stop.
   */
  onState: (
    this: void,
    listener: (state: State | undefined, token: string) => void,
  ) => () => void;
  /** Calls back when the connection changes, and at once; returns how to stop. */
  onStatus: (this: void, listener: (status: Status) => void) => () => void;
  /** Whether the mirror shows what the action with this answer's token did. */
  includes: (this: void, token: string) => boolean;
  /** Sends an action, or an array as one atomic batch, in order. Throws `StatecastError`. */
  dispatch: (this: void, action: A | A[], options?: DispatchOptions<State>) => Promise<Answer>;
  setMode(mode: Mode): void;
  /** Begins anew, with other options where some are given; actions on their way are given up. */
  restart(options?: MirrorOptions<State, A>): void;
  /** Shows a state of another time until there is news; without one, the present state. */
  preview(state?: State): void;
  /** Stops following, for ever; actions on their way are given up. */
  close(): void;
}

/** The time of a server. */
export class ServerClock {
  /** By how much it is ahead of this device's clock, in milliseconds. */
  readonly offset: number;
  /** In milliseconds since 1970. */
  now(): number;
  /** Learns from an answer's field `Date`; `sent`: when its request was, by `Date.now()`. */
  learn(date: string | null, sent: number, heard?: number): void;
}

/** The clock of a server, the page's own unless an address is given. */
export function clockOf(url?: string): ServerClock;

/**
 * A field for a text that others may edit, too: own edits are sent at intervals and one after the other,
 * the newest text each time; the others' are shown when no own one is on its way.
 */
export class TextField<A extends Action = Action> {
  constructor(options: {
    mirror: Mirror<any, A>;
    /** What to send for a text. */
    action: (text: string) => A;
    /** Hears why an edit was not taken; one that is refused for good is still `text` until it returns. */
    onError?: (error: any) => void;
    /** Between two edits that are sent, in milliseconds; 200. */
    interval?: number;
  });
  /** Takes the element, or null when it is gone; React's `ref`. */
  ref: (this: void, element: HTMLInputElement | HTMLTextAreaElement | null) => void;
  /** What stands in the field. */
  readonly text: string;
  /** Shows the server's text, unless own edits are newer: to be called with every state. */
  sync(text: string): void;
  /** Sends what has not been sent, behind what is on its way. */
  flush(): void;
  /** Forgets what has not been sent. */
  discard(): void;
}

/** Shows a mirror in the Redux DevTools extension, where there is one; returns how to stop. */
export function connectDevTools<State, A extends Action>(
  mirror: Mirror<State, A>,
  options?: { name?: string; extension?: unknown },
): () => void;
