import Foundation
import Glibc

/// A stack as small as that of a server's threads may be.
package enum SmallStack {
    /// 1 MiB; more where the address sanitizer is on, which surrounds all that stands in a frame.
    package static let byteCount = (isSanitized ? 8 : 1) << 20

    private static var isSanitized: Bool { unsafe dlsym(nil, "__asan_init") != nil }

    /// Runs `body` on a thread of its own that has this stack.
    package static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: body)) }
            thread.stackSize = byteCount
            thread.start()
        }
    }
}
