import NetCore
import TestLab
import Testing

@Suite("Secrets in free text") struct FreeTextCorpusTests {
    @Test("Of 26,000 lines with secrets none shows 8 characters of one", arguments: [20_261_122 as UInt64, 7])
    func secretsAreRedacted(seed: UInt64) {
        var corpus = FreeTextCorpus(seed: seed)
        let lines = corpus.secretLines(ofEachKind: seed == 7 ? 50 : 500)
        #expect(lines.count == (seed == 7 ? 2_600 : 26_000))
        var shown: [String: [String]] = [:]
        for line in lines {
            let text = Redactor.standard.text(line.text)
            guard line.secrets.contains(where: { Self.isShown($0, in: text) }) else { continue }
            shown[line.kind, default: []].append("\(line.text) → \(text)")
        }
        for (kind, examples) in shown { Issue.record("\(kind): \(examples.count), \(examples.prefix(4))") }
    }

    @Test("Of 500 harmless lines at least 3 in 4 are shown as they are, the others up to a secret name")
    func harmlessLinesAreShown() {
        var corpus = FreeTextCorpus(seed: 20_261_122)
        #expect(FreeTextCorpus.harmlessKinds >= 100)
        let changed = corpus.harmlessLines(500).map { ($0, Redactor.standard.text($0)) }.filter { $0 != $1 }
        #expect(changed.count <= 125, "\(changed.count): \(changed.prefix(20))")
    }

    @Test("The measurement sees a secret that is shown, and the beginning, the end or the middle of one")
    func measurementFindsPartsOfSecrets() {
        for text in ["abcdefghijkl", "x abcdefgh", "efghijkl", "[REDACTED]cdefghij,"] {
            #expect(Self.isShown("abcdefghijkl", in: text))
        }
        #expect(!Self.isShown("abcdefghijkl", in: "abcdefg fghijkl"))
        #expect(Self.isShown("word", in: "a word.") && !Self.isShown("word", in: "wor"))
    }

    /// Whether the text holds 8 bytes of the secret in a row, or the whole of a shorter one.
    private static func isShown(_ secret: String, in text: String) -> Bool {
        let length = min(8, secret.utf8.count)
        return !windows(of: secret, length).isDisjoint(with: windows(of: text, length))
    }

    private static func windows(of text: String, _ length: Int) -> Set<UInt64> {
        var windows: Set<UInt64> = []
        var window: UInt64 = 0
        let mask = length == 8 ? UInt64.max : 1 << UInt64(length * 8) - 1
        for (offset, byte) in text.utf8.enumerated() {
            window = (window << 8 | UInt64(byte)) & mask
            if offset + 1 >= length { windows.insert(window) }
        }
        return windows
    }
}
