import OutsideAPI
import Statecast

extension Problem {
    static let userSessionNotRead = Problem(
        "user-session-not-read", "Nobody knows whether you were signed in. Sign in again.")

    static let userSessionNotKept = Problem(
        "user-session-not-kept", "You will have to sign in again next time.")

    static let userSessionNotForgotten = Problem(
        "user-session-not-forgotten",
        "The server still keeps who you were. Sign in and out again to be sure.")

    /// The reason why the outside API gave no answer, in words for the person who waits for it.
    init(asking error: any Error) {
        self.init("upstream-failed", UpstreamError.message(for: error))
    }

    /// The reason why the outside API let a person not in.
    init(authenticating error: any Error) {
        switch (error as? UpstreamError)?.status {
        case 401:
            self.init("wrong-credentials", "The e-mail address or the password is wrong.")
        case 409:
            self.init("account-exists", "This e-mail address has an account already.")
        default: self.init(asking: error)
        }
    }
}
