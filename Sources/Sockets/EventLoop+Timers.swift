extension EventLoop {
    /// The number of timers that are scheduled.
    package var timerCount: Int {
        timers.count
    }

    /// Calls the handler once, after at least this time has passed since `now`; precise to 1 ms.
    /// The loop holds the handler until then.
    package func schedule(after duration: Duration, _ handler: any TimerHandler) -> Timer {
        timers.schedule(at: now.advanced(by: duration), handler)
    }

    /// Calls the handler once, not before `instant`.
    package func schedule(at instant: Instant, _ handler: any TimerHandler) -> Timer {
        timers.schedule(at: instant, handler)
    }

    /// Moves a timer to another time without allocating, or schedules it anew when it has fired
    /// or was cancelled: what a deadline that is often put off uses.
    package func rearm(_ timer: inout Timer, at instant: Instant, _ handler: any TimerHandler) {
        guard !timers.reschedule(timer, at: instant) else { return }
        timer = timers.schedule(at: instant, handler)
    }

    /// Cancels a timer and lets go of its handler; nothing happens when it has fired.
    package func cancel(_ timer: Timer) {
        _ = timers.cancel(timer)
    }
}
