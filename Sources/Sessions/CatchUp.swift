/// The way from the value of a projection that a client has to the present one.
package enum CatchUp: Equatable {
    /// The client has the present value.
    case upToDate
    /// Operations (RFC 6902, a JSON array) lead there, in hardly more bytes than the value has.
    ///
    /// - from: the version since which the client's value was shown.
    case patch(from: UInt64, operations: [UInt8])
    /// The client needs the value itself: the patches since then are gone, there never were any, or
    /// they are larger.
    case snapshot
}
