import RidesModel
package import Statecast

extension SavedValues<UserSession> {
    /// Keeps user sessions in a directory, a file each, which only the process's user may read. The
    /// token is in it, which no encoder shows: a reader of the file can act as the person.
    package static func userSessions(in directory: String) throws -> SavedValues {
        try files(
            in: directory,
            encode: { session in
                let content = FileContent(user: session.user, token: session.token.value)
                var json: [UInt8] = []
                try StateEncoder().encode(content, into: &json)
                return json
            },
            decode: { try StateDecoder().decode(UserSession.self, from: $0.span) })
    }
}

private struct FileContent: Encodable { let user: UserProfile, token: String }
