import Redux

/// The choice of the kind of vehicle.
package struct OptionPicker: StateValue {
    /// Empty while they are fetched, and where none is offered.
    package var options: [RideOption] = []
    /// The place whose options are being fetched; absent once they came.
    package var loading: Coordinate?
    /// The option that is highlighted.
    package var selected: String?
    /// True while the confirmation is shown.
    package var confirming = false
    /// The reasons why the options could not be fetched, or the request not be sent.
    package var errors: [ErrorMessage] = []

    /// Offers what was fetched, or shows why nothing was.
    mutating func finish(_ answer: Answer<[RideOption]>, _ step: Step) {
        guard loading != nil else { return }
        loading = nil
        switch answer {
        case .value(let options):
            self.options = options
            selected = options.first?.id
        case .problem(let problem): errors.present("No options", problem, step)
        }
    }
}
