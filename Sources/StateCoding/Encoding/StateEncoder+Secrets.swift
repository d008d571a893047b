extension StateEncoder {
    /// Gathers the secrets of a state; of one that cannot be written, none.
    package func secrets(of state: some Encodable) -> KeptSecrets {
        let secrets = KeptSecrets()
        var output: [UInt8] = []
        do {
            try EncodingRun.append(to: &output, maximumDepth: maximumDepth) { document in
                document.secrets = EncodedSecrets(.gathered(secrets))
                try document.encodeValue(state)
            }
            try secrets.locate(in: output, maximumDepth: maximumDepth)
        } catch {
            return KeptSecrets()
        }
        return secrets
    }
}
