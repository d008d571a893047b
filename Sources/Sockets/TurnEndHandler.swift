/// Takes the end of each turn.
package protocol TurnEndHandler: AnyObject {
    /// Called once a turn, after all its events, timers and jobs: what the turn has gathered is
    /// written here.
    func turnEnded(on loop: isolated EventLoop)
}
