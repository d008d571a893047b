/// Marks an enum whose cases are a level of action type paths: `home/searchEdited` is the case
/// `searchEdited` of the group inside the case `home`.
///
/// A group stands as the only, unlabelled value of a case. The outermost enum needs no mark; any
/// enum without it is payload.
public protocol ActionGroup {}
