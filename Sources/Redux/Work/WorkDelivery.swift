/// The news of a running piece of work, on its way back to the session that owns it.
struct WorkDelivery<Action: Sendable>: Sendable {
    /// The content of the news.
    enum Content: Sendable {
        /// It has sent an action, and goes on.
        case sent(Action)
        /// It is over, with the action that says so, if there is one.
        case ended(Action?)
        /// It is over by an error, with the action that says so, if there is one. The text is for
        /// operators; nil where the action says it all.
        case failed(Action?, error: String?)
        /// The time of the earliest alarm has come.
        case alarmDue
    }

    /// The run that it is of; 0 for alarms.
    let run: UInt64
    let content: Content
}
