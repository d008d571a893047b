/// A report of an effect or of work, on its way back to the store that owns it.
public enum StoreDelivery<Action: Sendable>: Sendable {
    case effect(EffectDelivery<Action>)
    case work(WorkDelivery<Action>)
}
