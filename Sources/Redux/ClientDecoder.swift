/// A decoder that may read what a client has posted.
package protocol ClientDecoder: Decoder {
    /// Throws if a client has posted what is read: it says nothing that only the server says.
    func refuseClients() throws
}

extension ServerSaid {
    /// Throws if `decoder` reads what a client has posted: the first step of each `init(from:)`,
    /// for where a type calls it by itself.
    static func refuseClients(of decoder: any Decoder) throws {
        try (decoder as? any ClientDecoder)?.refuseClients()
    }
}
