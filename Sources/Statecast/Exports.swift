/// An application's author imports Statecast alone.
@_exported public import Redux
@_exported public import StateCoding
