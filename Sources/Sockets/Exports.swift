// Queues hold shared bytes: a user of queues makes them.
@_exported public import Bytes
