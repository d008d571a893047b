import StateCoding

/// The version of the form that an application's states have as JSON, and the ways that lead there
/// from earlier forms.
///
///     Schema(version: 3, migrations: [
///         Migration(from: 1) { (old: NotesOfTexts) in NotesWithDates(texts: old.texts) },
///         Migration(from: 2) { (old: NotesWithDates) in NotesState(old) },
///     ])
///
/// A journal keeps the version beside each state. A state of an earlier version is migrated when its
/// session is opened, one version at a time, before it is decoded. A state of a later version, or of
/// one from which no migration leads on, is not opened: the session answers 423, and what is kept
/// stays as it is.
public struct Schema: Sendable {
    /// The version of the states that the application has now, from 1.
    let version: Int
    let migrations: [Migration]

    /// The version of the states of today, and the migrations to it, in any order.
    public init(version: Int = 1, migrations: [Migration] = []) {
        self.version = version
        self.migrations = migrations
    }

    /// The sentence that says what is wrong with the versions; nil where nothing is. The migrations
    /// begin at any version, and leave none out from there on.
    var fault: String? {
        guard version >= 1 else { return "The schema's version is \(version), and begins at 1." }
        let versions = migrations.map(\.version).sorted()
        if let outside = versions.first(where: { !(1..<version).contains($0) }) {
            return "Migration(from: \(outside)) leads nowhere: the schema's version is \(version)."
        }
        for (version, next) in zip(versions, versions.dropFirst()) where version == next {
            return "Two migrations lead on from version \(version); leave one of them out."
        }
        guard let first = versions.first else { return nil }
        return (first..<version).first { !versions.contains($0) }.map {
            "No migration leads on from version \($0): add Migration(from: \($0))."
        }
    }

    /// A state's JSON in the form of this version.
    ///
    /// - Parameter kept: the version of the form that the JSON has.
    func migrate(_ json: [UInt8], from kept: Int) throws(DecodingFailure) -> [UInt8] {
        guard kept <= version else {
            throw .shape("The state has version \(kept) of the schema; this build's is \(version).")
        }
        var json = json
        for version in kept..<version {
            guard let migration = migrations.first(where: { $0.version == version }) else {
                throw .shape("No migration leads on from version \(version) of the schema.")
            }
            json = try migration.migrate(json)
        }
        return json
    }
}

/// The way from one version of a schema to the next.
public struct Migration: Sendable {
    let version: Int
    let migrate: @Sendable (_ json: [UInt8]) throws(DecodingFailure) -> [UInt8]

    /// A migration from a version to the one behind it: it reads the old form as one type, and
    /// writes what it makes of it as another.
    ///
    /// - Parameter body: throws where there is no way for a state; its session is then not opened.
    public init<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        from version: Int, _ body: @escaping @Sendable (Old) throws -> New
    ) {
        self.version = version
        migrate = { (json) throws(DecodingFailure) in
            let old = try StateDecoder().decode(Old.self, from: json)
            do {
                return try StateEncoder().openBytes(of: try body(old))
            } catch {
                throw .shape("Migration(from: \(version)) has failed: \(error)")
            }
        }
    }

    init(
        _ version: Int, _ migrate: @escaping @Sendable ([UInt8]) throws(DecodingFailure) -> [UInt8]
    ) {
        self.version = version
        self.migrate = migrate
    }
}

extension DecodingFailure {
    /// A failure of JSON as a whole, or of a part of it.
    static func shape(_ detail: String, at path: [String] = []) -> DecodingFailure {
        DecodingFailure(
            reason: .shape, pointer: JSONPointer(tokens: path), offset: 0, detail: detail)
    }
}
