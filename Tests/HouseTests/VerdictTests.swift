import Testing

@Suite struct `The list of what is allowed` {
    private func finding(_ subject: String, _ number: Int = 1) -> Finding {
        Finding(.functionLines, subject, number: number, at: "File.swift:7", "too long")
    }

    private func verdict(_ findings: [Finding], _ rows: [Allowance]) -> Verdict {
        Verdict(.functionLines, findings: findings, allowances: rows)
    }

    @Test func `lets pass what has a row, to the number`() {
        let rows = [Allowance(.functionLines, "A.f", 45, issue: 2)]
        #expect(verdict([finding("A.f", 45)], rows).complaints.isEmpty)
        #expect(verdict([], []).complaints.isEmpty)
    }

    @Test func `lets nothing pass that has no row, and says where it is`() {
        let complaints = verdict([finding("A.f", 45)], []).complaints
        #expect(complaints == ["File.swift:7: too long"])
    }

    @Test func `may not be exceeded`() {
        let rows = [Allowance(.functionLines, "A.f", 44, issue: 2)]
        #expect(verdict([finding("A.f", 45)], rows).complaints.count == 1)
    }

    @Test func `only shrinks: rows that allow too much, or too little, are refused`() {
        let row = Allowance(.functionLines, "A.f", 45, issue: 2)
        #expect(verdict([finding("A.f", 44)], [row]).complaints.count == 1)
        #expect(verdict([], [row]).complaints.count == 1)
        #expect(verdict([finding("A.f", 45)], [row, row]).complaints.count == 1)
    }

    @Test func `names for each row an issue that rebuilds what stands`() {
        for issue in [0, 1, 5] {
            let row = Allowance(.functionLines, "A.f", 45, issue: issue)
            #expect(verdict([finding("A.f", 45)], [row]).complaints.count == 1)
        }
    }

    @Test func `allows nothing above a rule's last bound`() {
        let row = Allowance(.functionLines, "A.f", 71, issue: 2)
        #expect(verdict([finding("A.f", 71)], [row]).complaints.count == 1)
    }

    @Test func `adds up what one subject does several times`() {
        let rows = [Allowance(.functionLines, "A.f", 90, issue: 3)]
        #expect(verdict([finding("A.f", 45), finding("A.f", 45)], rows).complaints.isEmpty)
    }

    @Test func `is shown as it should be, so that it can be pasted`() {
        let rows = [Allowance(.functionLines, "A.f", 45, issue: 3)]
        let verdict = verdict([finding("A.f", 44), finding("B.g")], rows)
        #expect(
            verdict.rows.map(\.description) == [
                ".init(.functionLines, \"A.f\", 44, issue: 3),",
                ".init(.functionLines, \"B.g\", issue: 0),",
            ])
    }

    @Test func `counts in steps, so that not every line changes it`() {
        let number = Finding(.typeLines, "A", number: 451, at: "", "").number
        #expect(number == 460)
        #expect(Finding(.typeLines, "A", number: 460, at: "", "").number == 460)
        #expect(Finding(.functionLines, "A", number: 451, at: "", "").number == 451)
    }
}
