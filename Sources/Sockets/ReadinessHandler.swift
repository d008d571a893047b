/// Takes the readiness of one registered descriptor.
package protocol ReadinessHandler: AnyObject {
    /// Called on the loop in each turn in which one of `events` holds. The registration may be
    /// removed in here. Must not block. A handler that receives by `EventLoop.receive(from:)` does
    /// so in each event with `.readable`, or removes the registration.
    func ready(_ events: Readiness, on loop: isolated EventLoop)
}
