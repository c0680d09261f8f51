import NetCore
import TestLab
import Testing

@Suite("Secrets in free text") struct FreeTextCorpusTests {
    @Test("Of 26,000 lines with secrets none shows one", arguments: [20_261_122 as UInt64, 7])
    func secretsAreHidden(seed: UInt64) {
        var corpus = FreeTextCorpus(seed: seed)
        let lines = corpus.secretLines(ofEachKind: seed == 7 ? 200 : 1_000)
        #expect(lines.count == (seed == 7 ? 5_200 : 26_000))
        var shown: [String: [String]] = [:]
        for line in lines {
            let text = Redactor.standard.text(line.text)
            guard line.secrets.contains(where: { text.contains($0) || text.contains($0.suffix(8)) }) else { continue }
            shown[line.kind, default: []].append("\(line.text) → \(text)")
        }
        for (kind, examples) in shown { Issue.record("\(kind): \(examples.count), \(examples.prefix(4))") }
    }

    @Test("Of 500 harmless lines at least 9 in 10 are shown as they are")
    func harmlessLinesAreKept() {
        var corpus = FreeTextCorpus(seed: 20_261_122)
        let changed = corpus.harmlessLines(500).filter { Redactor.standard.text($0) != $0 }
        #expect(changed.count <= 50, "\(changed.count): \(changed.prefix(20))")
    }
}
