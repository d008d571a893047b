/// The places that still break a rule, and the issue that ends each: 2 rebuilds the targets and
/// their words, 3 the interface of applications, 4 the encoding of changes.
///
/// The list only shrinks. A row whose subject keeps the rule now, or is below its number, fails the
/// test of the rule, which prints the rows as they should be. A new row is for what an issue is
/// about to end, and for nothing else.
let allowances: [Allowance] = [
    // Types that hold several nouns: each is parted into values that decide.
    .init(.typeLines, "Sockets.SystemCalls", 500, issue: 2),
    .init(.typeLines, "StateCoding.EncodingCore", 530, issue: 2),
    // The same types, cut into slices.
    .init(.slices, "Sources/Sockets/SystemCalls", 530, issue: 2),
    // Names that say nothing.
    .init(.emptyNames, "DecodingCore", 3, issue: 2),
    .init(.emptyNames, "EncodingCore", 6, issue: 2),
    // Names that stand for two things.
    .init(.doubledNames, "HTTPClient.HTTPClient", issue: 2),
    .init(.doubledNames, "Job", 2, issue: 2),
    .init(.doubledNames, "Timestamp", 2, issue: 2),
    // Functions in files that are named for something else.
    .init(.strangers, "ActionCoder: EnvelopeReader", 2, issue: 2),
    .init(.strangers, "EncodingFrame: EncodingCore", 7, issue: 2),
    .init(.strangers, "Listener: SystemCalls", 2, issue: 2),
    .init(.strangers, "RidesApplication+Work: EffectContext", issue: 3),
    .init(.strangers, "RidesState+Action: Form", 3, issue: 3),
    .init(.strangers, "RidesState+Fact: SignedIn", 4, issue: 3),
    .init(.strangers, "RidesWork: RidesApplication", issue: 3),
    .init(.strangers, "SendRing: EventLoop", issue: 2),
    .init(.strangers, "StateDecoder: DecodingCore", issue: 2),
    .init(.strangers, "ValueDecoder: DecodingCore", issue: 2),
    // Commands that answer a Bool, and questions that act.
    .init(.questions, "HTTPMessages.ChunkExtensions.take", issue: 2),
    .init(.questions, "Sockets.LoopExecutor.beginRunning", issue: 2),
    .init(.questions, "Sockets.LoopExecutor.end", issue: 2),
    .init(.questions, "Sockets.SendBatch.add", issue: 2),
    .init(.questions, "Sockets.SystemCalls.removeFile", issue: 2),
    .init(.questions, "Sockets.WriteQueue.wasSent", issue: 2),
    .init(.questions, "StateCoding.DigitReader.take", issue: 2),
    .init(.questions, "StateCoding.EncodingCore.beginActionCase", issue: 2),
    .init(.questions, "StateCoding.EncodingCore.canOpen", issue: 2),
    .init(.questions, "StateCoding.EnvelopeReader.isType", issue: 2),
    .init(.questions, "StateCoding.JSONParser.take", issue: 2),
    .init(.questions, "StateCoding.JSONScanner.take", issue: 2),
    // Preconditions that are missing in a thousand lines.
    .init(.assertions, "StateCoding", 5, issue: 2),
    .init(.assertions, "Statecast", 5, issue: 2),
    // Declarations that only this package calls, and that are public.
    .init(.publicDeclarations, "Sources", 600, issue: 2),
    // Test files that open sockets for what a session, its durability and a resource do.
    .init(.socketFiles, "Tests", 34, issue: 2),
]
