// The types of RidesApplication, made of its schema: not to be edited.
/** What a client sees of a session's state. */
export type State = RidesState;
/** What `?view=` shows, by the names. */
export interface Views {
    screen: string;
    authentication: RidesStateAuthentication;
}
/** What a client may send. */
export type Action =
    | {
        type: "dropoff/chosen";
        payload: {
            placeID: string;
        };
        meta?: unknown;
    }
    | {
        type: "dropoff/errorAcknowledged";
        payload: {
            id: string;
        };
        meta?: unknown;
    }
    | {
        type: "dropoff/queryEdited";
        payload: {
            text: string;
        };
        meta?: unknown;
    }
    | {
        type: "dropoff/retried";
        meta?: unknown;
    }
    | {
        type: "launch/errorAcknowledged";
        payload: {
            id: string;
        };
        meta?: unknown;
    }
    | {
        type: "launch/retried";
        meta?: unknown;
    }
    | {
        type: "onboarding/wentBack";
        meta?: unknown;
    }
    | {
        type: "option/chosen";
        payload: {
            optionID: string;
        };
        meta?: unknown;
    }
    | {
        type: "option/errorAcknowledged";
        payload: {
            id: string;
        };
        meta?: unknown;
    }
    | {
        type: "option/retried";
        meta?: unknown;
    }
    | {
        type: "profile/closed";
        meta?: unknown;
    }
    | {
        type: "profile/errorAcknowledged";
        payload: {
            id: string;
        };
        meta?: unknown;
    }
    | {
        type: "profile/opened";
        meta?: unknown;
    }
    | {
        type: "ride/confirmed";
        meta?: unknown;
    }
    | {
        type: "ride/destinationCancelled";
        meta?: unknown;
    }
    | {
        type: "ride/destinationTapped";
        meta?: unknown;
    }
    | {
        type: "ride/errorAcknowledged";
        payload: {
            id: string;
        };
        meta?: unknown;
    }
    | {
        type: "ride/finished";
        meta?: unknown;
    }
    | {
        type: "ride/retried";
        meta?: unknown;
    }
    | {
        type: "ride/startedAgain";
        meta?: unknown;
    }
    | {
        type: "signIn/errorAcknowledged";
        payload: {
            id: string;
        };
        meta?: unknown;
    }
    | {
        type: "signIn/submitted";
        payload: {
            email: string;
            password: string;
        };
        meta?: unknown;
    }
    | {
        type: "signUp/errorAcknowledged";
        payload: {
            id: string;
        };
        meta?: unknown;
    }
    | {
        type: "signUp/submitted";
        payload: {
            fullName: string;
            nickname: string;
            email: string;
            mobileNumber: string;
            password: string;
        };
        meta?: unknown;
    }
    | {
        type: "signedOut";
        meta?: unknown;
    }
    | {
        type: "welcome/errorAcknowledged";
        payload: {
            id: string;
        };
        meta?: unknown;
    }
    | {
        type: "welcome/signInChosen";
        meta?: unknown;
    }
    | {
        type: "welcome/signUpChosen";
        meta?: unknown;
    };
/** The codes of /problems/rejected/{code}. */
export type Rejection = "error-open" | "form-locked" | "missing-field" | "no-form" | "not-launching" | "not-signed-in" | "not-signing-in" | "not-signing-up" | "not-welcoming" | "nothing-to-retry" | "profile-closed" | "profile-open" | "text-too-long" | "unknown-option" | "unknown-place" | "wrong-step";
export interface Attempt {
    errors: ErrorMessage[];
}
export interface Coordinate {
    latitude: number;
    longitude: number;
}
export interface Credentials {
    email: string;
    password: "<redacted>";
}
export interface DropoffPicker {
    query: string;
    results: Place[];
    latestSearch?: PlaceSearch | null;
    errors: ErrorMessage[];
}
export interface ErrorMessage {
    id: string;
    title: string;
    message: string;
}
export interface FormOfCredentials {
    inputsEnabled: boolean;
    busy: boolean;
    submission?: Credentials | null;
    errors: ErrorMessage[];
    forgetting: boolean;
}
export interface FormOfNewAccount {
    inputsEnabled: boolean;
    busy: boolean;
    submission?: NewAccount | null;
    errors: ErrorMessage[];
    forgetting: boolean;
}
export interface NewAccount {
    user: UserProfile;
    password: "<redacted>";
}
export type Onboarding =
    | {
        welcoming: Welcome;
        signingIn?: never;
        signingUp?: never;
    }
    | {
        welcoming?: never;
        signingIn: FormOfCredentials;
        signingUp?: never;
    }
    | {
        welcoming?: never;
        signingIn?: never;
        signingUp: FormOfNewAccount;
    };
export interface OptionPicker {
    options: RideOption[];
    loading?: Coordinate | null;
    selected?: string | null;
    confirming: boolean;
    errors: ErrorMessage[];
}
export interface Place {
    id: string;
    name: string;
    address: string;
    latitude: number;
    longitude: number;
}
export interface PlaceSearch {
    query: string;
    isTyped: boolean;
}
export type Ride =
    | {
        locating: Attempt;
        requesting?: never;
        waitingForPickup?: never;
    }
    | {
        locating?: never;
        requesting: RideRequest;
        waitingForPickup?: never;
    }
    | {
        locating?: never;
        requesting?: never;
        waitingForPickup: {};
    };
export interface RideOption {
    id: string;
    name: string;
    note: string;
    seats: number;
    priceCents: number;
    currency: string;
    pictures: RideOptionPictures;
}
export interface RideOptionPictures {
    x1: string;
    x2: string;
    x3: string;
}
export interface RideRequest {
    pickup: Coordinate;
    step: RideRequestStep;
    progress: RideRequestProgress;
    map: RideRequestMap;
    askWhereTo: boolean;
    errors: ErrorMessage[];
}
export interface RideRequestMap {
    pickup: Coordinate;
    dropoff?: Coordinate | null;
}
export type RideRequestProgress =
    | {
        none: {};
        waypoints?: never;
        ready?: never;
        sending?: never;
    }
    | {
        none?: never;
        waypoints: Waypoints;
        ready?: never;
        sending?: never;
    }
    | {
        none?: never;
        waypoints?: never;
        ready: {
            waypoints: Waypoints;
            option: RideOption;
        };
        sending?: never;
    }
    | {
        none?: never;
        waypoints?: never;
        ready?: never;
        sending: {
            waypoints: Waypoints;
            option: RideOption;
        };
    };
export type RideRequestStep =
    | {
        initial: {};
        choosingDropoff?: never;
        choosingOption?: never;
        final?: never;
    }
    | {
        initial?: never;
        choosingDropoff: DropoffPicker;
        choosingOption?: never;
        final?: never;
    }
    | {
        initial?: never;
        choosingDropoff?: never;
        choosingOption: OptionPicker;
        final?: never;
    }
    | {
        initial?: never;
        choosingDropoff?: never;
        choosingOption?: never;
        final: {};
    };
export type RidesState =
    | {
        launching: Attempt;
        running?: never;
    }
    | {
        launching?: never;
        running: Running;
    };
export interface RidesStateAuthentication {
    isSignedIn: boolean;
    user?: UserProfile | null;
}
export type Running =
    | {
        onboarding: Onboarding;
        signedIn?: never;
    }
    | {
        onboarding?: never;
        signedIn: SignedIn;
    };
export interface SignedIn {
    user: UserProfile;
    ride: Ride;
    viewingProfile: boolean;
    profileErrors: ErrorMessage[];
}
export interface UserProfile {
    fullName: string;
    nickname: string;
    email: string;
    mobileNumber: string;
}
export interface Waypoints {
    pickup: Coordinate;
    dropoff: Place;
}
export interface Welcome {
    errors: ErrorMessage[];
    forgetting: boolean;
}
