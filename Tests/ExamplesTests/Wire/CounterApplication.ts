// The types of CounterApplication, made of its schema: not to be edited.
/** What a client sees of a session's state. */
export type State = CounterApplicationState;
/** What a client may send. */
export type Action =
    | {
        type: "decremented";
        payload: {
            by: number;
        };
        meta?: unknown;
    }
    | {
        type: "incremented";
        payload: {
            by: number;
        };
        meta?: unknown;
    }
    | {
        type: "reset";
        meta?: unknown;
    };
/** The codes of /problems/rejected/{code}. */
export type Rejection = "out-of-range";
export interface CounterApplicationState {
    count: number;
}
