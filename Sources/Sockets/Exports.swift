// Queues hold shared bytes, and loops tell the time: a user of either names both.
@_exported public import Bytes
@_exported public import Threads
