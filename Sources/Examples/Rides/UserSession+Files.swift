import RidesModel
package import Statecast

extension SavedValues<UserSession> {
    /// Keeps user sessions in a directory, a file each, which only the process's user may read. The
    /// token is in it: a reader of the file can act as the person.
    package static func userSessions(in directory: String) throws -> SavedValues {
        let files = try SavedValues<SavedUserSession>.files(in: directory)
        return SavedValues(
            load: { try await files.load($0)?.userSession },
            save: { try await files.save(SavedUserSession($0), under: $1) },
            delete: { try await files.delete($0) })
    }
}

/// A user session as a file holds it, with the token that no encoder shows.
private struct SavedUserSession: Codable, Sendable {
    let user: UserProfile
    let token: String

    init(_ userSession: UserSession) {
        user = userSession.user
        token = userSession.token.value
    }

    var userSession: UserSession {
        UserSession(user: user, token: Secret(token))
    }
}
