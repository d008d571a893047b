// The types of ShoppingApplication, made of its schema: not to be edited.
/** What a client sees of a session's state. */
export type State = ShoppingState;
/** What `?view=` shows, by the names. */
export interface Views {
    "to-buy": string[];
    item: ShoppingStateItem;
}
/** What a client may send. */
export type Action =
    | {
        type: "card/asked";
        meta?: unknown;
    }
    | {
        type: "card/putAway";
        meta?: unknown;
    }
    | {
        type: "card/scanned";
        payload: string;
        meta?: unknown;
    }
    | {
        type: "list/added";
        payload: {
            name: string;
        };
        meta?: unknown;
    }
    | {
        type: "list/bought";
        payload: {
            id: string;
        };
        meta?: unknown;
    }
    | {
        type: "list/removed";
        payload: {
            id: string;
        };
        meta?: unknown;
    }
    | {
        type: "ordered";
        meta?: unknown;
    }
    | {
        type: "search/cleared";
        meta?: unknown;
    }
    | {
        type: "search/edited";
        payload: {
            text: string;
        };
        meta?: unknown;
    };
/** The codes of /problems/rejected/{code}. */
export type Rejection = "empty-name" | "is-being-ordered" | "list-full" | "not-signed-in" | "not-your-card" | "nothing-to-order" | "out-of-scope" | "text-too-long";
export type LoadableOfArrayOfString =
    | {
        status: "idle";
    }
    | {
        status: "loading";
        value?: string[] | null;
    }
    | {
        status: "loaded";
        value: string[];
    }
    | {
        status: "failed";
        problem: Problem;
        value?: string[] | null;
    };
export type LoadableOfArrayOfStringOfStatus = "idle" | "loading" | "loaded" | "failed";
export type LoadableOfSecretOfString =
    | {
        status: "idle";
    }
    | {
        status: "loading";
        value?: ("<redacted>") | null;
    }
    | {
        status: "loaded";
        value: "<redacted>";
    }
    | {
        status: "failed";
        problem: Problem;
        value?: ("<redacted>") | null;
    };
export type LoadableOfSecretOfStringOfStatus = "idle" | "loading" | "loaded" | "failed";
export interface Problem {
    code: string;
    message: string;
}
export interface ShoppingState {
    items: ShoppingStateItem[];
    search: ShoppingStateSearch;
    order: ShoppingStateOrder;
    member?: ShoppingStateMember | null;
}
export interface ShoppingStateItem {
    id: string;
    name: string;
    isBought: boolean;
}
export interface ShoppingStateMember {
    id: string;
    card: LoadableOfSecretOfString;
    isKept: boolean;
}
export type ShoppingStateOrder =
    | {
        open: {};
        sending?: never;
        taken?: never;
        failed?: never;
    }
    | {
        open?: never;
        sending: {
            names: string[];
        };
        taken?: never;
        failed?: never;
    }
    | {
        open?: never;
        sending?: never;
        taken: {
            number: string;
        };
        failed?: never;
    }
    | {
        open?: never;
        sending?: never;
        taken?: never;
        failed: {
            problem: Problem;
        };
    };
export interface ShoppingStateSearch {
    text: string;
    products: LoadableOfArrayOfString;
}
