/// The meaning of the keys of a keyed container that is read.
enum KeyedRole {
    /// The members of an object.
    case object
    /// The values of an enum's case: members, or unlabelled values (see ``StateEncoder``).
    case nested
    /// The same for the payload of an action.
    case payload
    /// The one case that the type path names.
    case actionCase
    /// The values of a case whose last one is a group: the type path goes on, and labelled
    /// values before the group are members of the payload.
    case actionGroup
}
