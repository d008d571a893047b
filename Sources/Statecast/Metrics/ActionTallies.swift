/// The counts of all applications' actions on one loop.
struct ActionTallies {
    private let board: ActionBoard
    private let loopIndex: Int
    /// One for each application.
    private let all: [ActionTally]

    init(_ board: ActionBoard, loopIndex: Int) {
        self.board = board
        self.loopIndex = loopIndex
        all = board.makeTallies()
    }

    /// The counts of an application's actions.
    ///
    /// - Parameter name: the application's: `/counter`, or nothing for the root.
    func tally(ofMount name: String) -> ActionTally { all[board.place(ofMount: name)] }

    /// Tells the other loops what this one has counted.
    func publish() { board.update(loopIndex, all) }
}
