import HTTPServer

extension WebServerConfiguration {
    /// The part of a server's configuration that is about connections and requests.
    init(_ configuration: ServerConfiguration) {
        self.init(
            host: configuration.host, port: configuration.port,
            loopCount: configuration.loopCount, limits: configuration.limits,
            logger: configuration.logger)
        if !configuration.usesIOUring { leastBatchCount = nil }
        // Where access is configured, no cache may show one client what another has been given
        // (RFC 9110 §12.5.5).
        if configuration.authorize != nil {
            commonFields.append(("Vary", "Authorization, Cookie"))
        }
    }
}
