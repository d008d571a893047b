import OutsideAPI
import Statecast

extension Problem {
    /// The problem that is shown for an error of the outside API: `{"code":"upstream","message":"The
    /// service cannot be reached. Try again."}`.
    init(upstream error: any Error) {
        self.init("upstream", UpstreamError.message(for: error))
    }
}
