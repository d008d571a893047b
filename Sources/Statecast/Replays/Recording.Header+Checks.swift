import HTTPServer
import Sessions

extension Recording.Header {
    /// Throws where an application cannot play the recording: it is of another one, or of another
    /// version of its states.
    func check(name: String, schema: Int) throws(ProblemDetails) {
        let path = name.isEmpty ? "/" : name
        guard application == path else {
            throw .foreignRecording(
                "The recording is of \(application.prefix(200)), and not of \(path).")
        }
        guard self.schema == schema else {
            throw .foreignRecording(
                "The recording has states of version \(self.schema), and the application has "
                    + "those of version \(schema).")
        }
    }
}
