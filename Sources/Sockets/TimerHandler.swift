/// Takes the firing of timers.
package protocol TimerHandler: AnyObject {
    /// Called on the loop once the time has come, never before. `timer` is then no longer
    /// scheduled, and may be scheduled anew in here.
    func timerFired(_ timer: Timer, on loop: isolated EventLoop)
}
