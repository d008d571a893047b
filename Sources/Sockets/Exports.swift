// Queues hold shared bytes, and loops tell the time and count what they hold: a user of either names
// these, too.
@_exported public import Bytes
@_exported public import Threads
