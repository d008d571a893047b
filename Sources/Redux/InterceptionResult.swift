/// The end of an action's way through the interceptors.
enum InterceptionResult {
    /// The action reaches the reducer, or another one in its place.
    case one
    /// Others do, all or none: one at least.
    case several
    case dropped
    case delayed(Duration)
    case rejected(Rejection)

    /// Leads an action through interceptors.
    ///
    /// - Parameters:
    ///   - action: is replaced by the one that reaches the reducer.
    ///   - several: is set to those that do, where they are several.
    ///   - indices: the interceptors that it meets, in their order.
    ///   - limit: the number of actions that it may become.
    ///   - judge: asks one interceptor.
    @inline(__always)
    static func lead<Action>(
        _ action: inout Action, orElse several: inout [Action]?, through indices: Range<Int>,
        limit: Int, judge: (Action, Int) -> Verdict<Action>
    ) -> InterceptionResult {
        var index = indices.lowerBound
        while index < indices.upperBound {
            let verdict = judge(action, index)
            index += 1
            switch verdict {
            case .pass, .passOnce: break
            case .replace(let other): action = other
            case .expand(let others):
                var actions = others
                defer { several = actions }
                return lead(&actions, through: index..<indices.upperBound, limit, judge)
            case .drop: return .dropped
            case .reject(let rejection): return .rejected(rejection)
            case .delay(let duration, _): return .delayed(duration)
            }
        }
        return .one
    }

    /// Leads several actions; one that is delayed does not hold up the others, and tells of its delay
    /// where none of them passes.
    private static func lead<Action>(
        _ actions: inout [Action], through indices: Range<Int>, _ limit: Int,
        _ judge: (Action, Int) -> Verdict<Action>
    ) -> InterceptionResult {
        var delay: Duration?
        for index in indices {
            guard actions.count <= limit else { break }
            var passed: [Action] = []
            for action in actions {
                switch judge(action, index) {
                case .pass, .passOnce: passed.append(action)
                case .replace(let other): passed.append(other)
                case .expand(let others): passed += others
                case .drop: break
                case .delay(let duration, _): delay = max(duration, delay ?? duration)
                case .reject(let rejection): return .rejected(rejection)
                }
            }
            actions = passed
        }
        guard actions.count <= limit else { return .rejected(.tooManyActions) }
        guard actions.isEmpty else { return .several }
        return delay.map { .delayed($0) } ?? .dropped
    }
}
