package import Bytes
package import Journaling
package import Redux
package import StateCoding

/// The log of a session's entries, and its states of before.
extension Session {
    /// The log of the session's entries, which are kept from here on; nil before the first one.
    package func askForLog() -> EntryLog? {
        logging.ask()
        settleLog()
        countMemory()
        return logging.log
    }

    private func settleLog() {
        logging.settle(committed: version, head: headVersion)
    }

    /// The journal tells of the session's past, and not memory.
    package var isPastKept: Bool { context.keepsEntries && !isReplay }

    /// The oldest version whose state is known.
    package var oldestVersion: UInt64 {
        min(logging.log?.baseVersion ?? .max, store.lastChange)
    }

    /// The JSON of the state at a version, of now or of before, as it was.
    ///
    /// - Returns: also the version that was asked for, or inside of a batch the one before the batch.
    package func state(
        at version: UInt64
    ) throws(Refusal) -> (version: UInt64, json: SharedBytes) {
        guard version <= self.version else { throw .notReached }
        settleLog()
        defer { countMemory() }
        if let log = logging.log, let visible = log.visibleVersion(at: version),
            let json = log.state(at: visible)
        {
            return (visible, json)
        }
        guard version >= store.lastChange, let json = try content(of: projections.whole) else {
            throw .gone(oldest: oldestVersion)
        }
        return (version, json)
    }

    /// The projection of a state that a viewer is shown: that of now with its secrets, or of before.
    /// Nil where this build of the application cannot read the state, or write the view of
    /// it.
    ///
    /// - Parameters:
    ///   - view: the name; nil for what stands for the state.
    ///   - pointer: the part of that; nil for all of it.
    package func projection(
        of json: SharedBytes, at version: UInt64, view: String?, _ pointer: JSONPointer?,
        for viewer: Viewer
    ) -> Projection? {
        guard version < store.lastChange else {
            let projection = projections.find(view, pointer, for: viewer)
            do throws(Refusal) {
                _ = try content(of: projection)
                return projection
            } catch {
                return nil
            }
        }
        var base = Projection(.whole)
        if view == nil, store.showsState {
            base.show(json, at: version)
        } else {
            // Operators are not told what fails: a client could fill their log by asking.
            do throws(EncodingFailure) {
                let seen = try store.encodePast(json.bytes, view: view, for: viewer)
                base = Projection(
                    .view(ShownView(name: view, viewerClass: seen.viewerClass)),
                    hash: context.hash)
                base.show(seen.json.map { SharedBytes($0) }, at: version)
            } catch {
                return nil
            }
        }
        guard let pointer, !pointer.tokens.isEmpty else { return base }
        let part = Projection(.part(pointer, of: base), hash: context.hash)
        part.show(base.json(at: pointer), at: version)
        return part
    }

    // MARK: What operators do

    /// What led to a version is forgotten, as far as memory has it.
    package func forget(before version: UInt64) {
        settleLog()
        logging.log?.forget(before: version)
        projections.forget(before: version)
        countMemory()
    }

    /// The session as it goes on from a state of before, where no journal keeps it, and the entry by which
    /// it does.
    package func reverted(
        to json: SharedBytes, by entry: EncodedEntry, _ epoch: String
    ) -> (opened: OpenedSession, entry: EncodedEntry) {
        var entry = entry
        entry.version = headVersion + 1
        entry.patch = EncodedEntry.replacement(by: json.bytes)
        let document = StoredDocument(
            version: entry.version, lastChange: entry.version, lastTime: entry.at,
            schema: store.schemaVersion, json: json.bytes)
        let opened = OpenedSession(
            lease: appendRight, epoch: epoch, created: created, document: document)
        return (opened, entry)
    }

    // MARK: What the journal tells later

    /// Takes in the keys of entries before those that the opening has told of, the oldest first. No
    /// request that has a key is judged meanwhile.
    package func takeKeys(_ earlier: [KeptKey]) async {
        let all = earlier + (laterKeys ?? [])
        keys = all.isEmpty ? nil : await RequestKeys.made(of: all)
        laterKeys = nil
        countMemory()
    }

    /// The journal may know how the state has come from that of a version, which memory does not.
    package func lacksPatches(since version: UInt64) -> Bool {
        isPastKept && version < store.lastChange
            && projections.whole.lacksPatches(since: version)
    }

    /// Takes in the entries that have led on from a version: clients that were shown that are sent
    /// their patches.
    ///
    /// - Parameter entries: nil where the journal could not tell.
    package func takePatches(of entries: [EncodedEntry]?, behind version: UInt64) {
        // They may have been read before they were forgotten.
        let known = version < projections.pastBegin ? [] : entries
        projections.whole.takePatches(of: known, behind: version)
        countMemory()
    }
}
