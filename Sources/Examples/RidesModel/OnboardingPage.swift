import Redux

/// A page for a person who is not signed in.
package protocol OnboardingPage {
    /// The errors that the page shows until they are acknowledged.
    var errors: [ErrorMessage] { get set }
    /// True while the user session of a person who left is being deleted.
    var forgetting: Bool { get set }
}

extension OnboardingPage {
    /// Ends the deletion of the user session, or shows that it failed.
    mutating func finishForgetting(_ answer: Answer<Done>, _ step: Step) {
        guard forgetting else { return }
        forgetting = false
        if let problem = answer.problem { errors.present("Not forgotten", problem, step) }
    }
}
