/// An application's author imports Statecast alone; with it come `debounce`, `merge`,
/// `removeDuplicates` and the other operators over a store's values, and what a configuration is
/// made of.
@_exported public import AsyncAlgorithms
@_exported public import struct HTTPServer.HTTPLimits
@_exported public import struct Logging.Logger
@_exported public import Redux
@_exported public import StateCoding
