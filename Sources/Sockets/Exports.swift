/// Loops, queues and budgets speak of instants and of shared bytes: both come with them.
@_exported public import Accounting
