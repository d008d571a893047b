/// The places that still break a rule, and the issue that ends each: 2 rebuilds the targets and
/// their words, 3 the interface of applications, 4 the encoding of changes.
///
/// The list only shrinks. A row whose subject keeps the rule now, or is below its number, fails the
/// test of the rule, which prints the rows as they should be. A new row is for what an issue is
/// about to end, and for nothing else.
let allowances: [Allowance] = [
    // The face of the store stands open beside that of applications.
    .init(.publicDeclarations, "Sources", 610, issue: 3)
]
