/// An application's author imports Statecast alone: it brings the store, the coding of states and
/// actions, and what a configuration is made of.
@_exported public import struct HTTPServer.HTTPLimits
@_exported public import struct HTTPTypes.HTTPField
@_exported public import struct HTTPTypes.HTTPFields
@_exported public import struct HTTPTypes.HTTPRequest
@_exported public import struct HTTPTypes.HTTPResponse
@_exported public import struct Logging.Logger
@_exported public import Redux
@_exported public import struct Sessions.RateLimit
@_exported public import struct Sessions.SessionLimits
@_exported public import StateCoding
