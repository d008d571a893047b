/// A report of an effect or of work, on its way back to the store that owns it.
public struct StoreDelivery<Action: Sendable>: Sendable {
    enum Content: Sendable {
        case effect(EffectDelivery<Action>)
        case work(WorkDelivery<Action>)
    }

    let content: Content
}
