/// Calls that wait until they are let through, whether or not their task was cancelled.
actor Doors {
    private var waiting: [String: CheckedContinuation<Void, Never>] = [:]
    private var watchers: [String: CheckedContinuation<Void, Never>] = [:]
    private(set) var count = 0

    /// Waits at a door until it is opened.
    func wait(at name: String) async {
        count += 1
        await withCheckedContinuation { continuation in
            waiting[name] = continuation
            watchers.removeValue(forKey: name)?.resume()
        }
    }

    /// Waits until somebody waits at a door.
    func arrival(at name: String) async {
        guard waiting[name] == nil else { return }
        await withCheckedContinuation { watchers[name] = $0 }
    }

    /// Lets through who waits at a door.
    func open(_ name: String) {
        waiting.removeValue(forKey: name)?.resume()
    }
}
