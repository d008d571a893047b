import Bytes
import HTTPServer
import Sessions
import StateCoding

extension Mount {
    func admit(_ header: Recording.Header) throws(ProblemDetails) {
        try header.check(name: name, schema: schemaVersion)
        // A state that is shown as it is need not be read.
        guard definition.views.state.code != nil else { return }
        do throws(EncodingFailure) {
            _ = try ReplayStore<App>.state(of: header.state.bytes)
        } catch {
            throw .foreignRecording(error.detail)
        }
    }

    func makeReplay(of tape: ReplayTape) -> any ShowsState {
        ReplayStore<App>(definition.views, tape)
    }
}
