/// The places that still break a rule, and the issue that ends each: 2 rebuilds the targets and
/// their words, 3 the interface of applications, 4 the encoding of changes.
///
/// The list only shrinks. A row whose subject keeps the rule now, or is below its number, fails the
/// test of the rule, which prints the rows as they should be. A new row is for what an issue is
/// about to end, and for nothing else.
let allowances: [Allowance] = [
    // Functions in files that are named for something else.
    .init(.strangers, "RidesApplication+Work: EffectContext", issue: 3),
    .init(.strangers, "RidesState+Action: Form", 3, issue: 3),
    .init(.strangers, "RidesState+Fact: SignedIn", 4, issue: 3),
    .init(.strangers, "RidesWork: RidesApplication", issue: 3),
    // Preconditions that are missing in a thousand lines.
    .init(.assertions, "Statecast", 5, issue: 2),
    // Declarations that only this package calls, and that are public.
    .init(.publicDeclarations, "Sources", 600, issue: 2),
    // Test files that open sockets for what a session, its durability and a resource do.
    .init(.socketFiles, "Tests", 34, issue: 2),
]
