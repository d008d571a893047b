/** A way to follow a session; each stands in for the one before where that does not work. */
export type Mode = "stream" | "longPoll" | "poll";

export type Phase =
  | "connecting"
  | "live"
  | "reconnecting"
  /** The selected part has left the state; following goes on. */
  | "outOfScope"
  /** The session is over. */
  | "ended"
  | "unauthorized"
  | "closed";

export interface Status {
  phase: Phase;
  /** The mode in use, which is not the one that was asked for where that does not work. */
  mode: Mode;
  /** Whether another tab's connection is used. */
  isShared: boolean;
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

export interface MirrorOptions {
  /** `"stream"` unless said otherwise. */
  mode?: Mode;
  /** Between two requests in mode `poll`, in milliseconds; 2,000. */
  interval?: number;
  /** A JSON Pointer (RFC 6901) to the part of the state to follow. */
  select?: string;
  /** A projection that the application defines, instead of the state. */
  view?: View;
  /**
   * How a session that the server has forgotten is made again:
   * `() => createSession("/counter", "demo")`. Without it, following ends, and actions are refused.
   */
  recreate?: () => Promise<unknown>;
  /**
   * Who looks: the tabs of a browser that give the same text, and follow the same thing, share one
   * connection where they can. Give the id of the person who is signed in, and open another mirror
   * when another one is; a constant will do where everybody sees the same. Without it, or where it
   * is empty, the mirror has a connection of its own.
   */
  identity?: string;
  /**
   * Whether the server sends what changed instead of whole states, in mode `stream`; false. In every
   * mode what did not change keeps its identity then: parts of two states that are `===` are equal.
   */
  patch?: boolean;
}

export interface DispatchOptions {
  /** Refused with 412 unless the session is at this token; `true` names the state shown now. */
  ifMatch?: string | true;
  /** A repeat with the same key happens once; made at random unless given. */
  idempotencyKey?: string;
  /** Waits so many seconds for the effects that the action starts. */
  settle?: number;
  /** How often to try in all where the server cannot be reached or is busy; 6. */
  attempts?: number;
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

/** The server's "no". */
export class StatecastError extends Error {
  /** The HTTP status; 0 where there was no answer. */
  status: number;
  /** Stable, for example `"empty-comment"`. */
  code: string;
  problem: Problem;
  /** The JSON Pointer of the fault. */
  pointer: string | null;
}

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

/** Makes a session; without an id, with one that nobody guesses. Resolves to the id. */
export function createSession(mount: string, id?: string): Promise<string>;

/** Follows a session, which is made if it is not there. */
export function openSession<State = any>(
  mount: string,
  id: string,
  options?: MirrorOptions,
): Promise<Mirror<State>>;

/** A live copy of a session's state, or of a part of it. */
export class Mirror<State = any> {
  constructor(mount: string, id: string, options?: MirrorOptions);
  readonly id: string;
  readonly options: MirrorOptions & { mode: Mode };
  /** undefined before the first state, and while it is out of scope. */
  readonly state: State | undefined;
  readonly token: string | null;
  readonly version: number;
  readonly status: Status;
  /** Calls back with every new state, and with the present one at once; returns how to stop. */
  onState(listener: (state: State, token: string) => void): () => void;
  /** Calls back when the connection changes, and at once; returns how to stop. */
  onStatus(listener: (status: Status) => void): () => void;
  /** Whether the mirror shows what the action with this answer's token did. */
  includes(token: string): boolean;
  /** Sends an action, or an array as one atomic batch, in order. Throws `StatecastError`. */
  dispatch(action: Action | Action[], options?: DispatchOptions): Promise<Answer>;
  setMode(mode: Mode): void;
  /** Stops following. */
  close(): void;
}
