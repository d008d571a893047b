import Redux

/// The choice of the destination.
package struct DropoffPicker: StateValue {
    package var query = ""
    /// The places that the latest search found.
    package var results: [Place] = []
    /// The search whose answer is awaited; absent once it came.
    package var latestSearch: PlaceSearch?
    /// The reasons why the latest search failed.
    package var errors: [ErrorMessage] = []

    /// Begins with a search for all places.
    package init() {
        search(isTyped: false)
    }

    /// Searches for the query.
    mutating func search(isTyped: Bool) {
        latestSearch = PlaceSearch(query, isTyped: isTyped)
    }

    /// Shows what was found, or why nothing was.
    mutating func finish(_ answer: Answer<[Place]>, _ step: Step) {
        guard latestSearch != nil else { return }
        latestSearch = nil
        switch answer {
        case .value(let places): results = places
        case .problem(let problem): errors.present("Search failed", problem, step)
        }
    }
}

/// A search for places.
package struct PlaceSearch: StateValue {
    package var query: String
    /// True where a person is typing: the search waits for a pause.
    package var isTyped: Bool

    package init(_ query: String, isTyped: Bool) {
        self.query = query
        self.isTyped = isTyped
    }
}
