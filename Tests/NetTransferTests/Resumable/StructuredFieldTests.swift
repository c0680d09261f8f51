import TestLab
import Testing

@testable import NetTransfer

@Suite struct StructuredFieldTests {
    @Test func integersAndBooleansAreParsed() {
        #expect((StructuredField.integer("0"), StructuredField.integer(" 25000000 ;x=1")) == (0, 25_000_000))
        #expect(StructuredField.integer("-7") == -7)
        #expect(StructuredField.integer("999999999999999") == 999_999_999_999_999)
        for text in ["", "-", "+1", "1.0", "1e3", "0x1", "1 2", "9999999999999999", "\"1\"", "?1", "--1", "١"] {
            #expect(StructuredField.integer(text) == nil, "\(text)")
        }
        #expect((StructuredField.boolean("?1"), StructuredField.boolean("?0;a")) == (true, false))
        for text in ["", "1", "true", "?2", "? 1"] { #expect(StructuredField.boolean(text) == nil) }
    }

    @Test func uploadLimitIsParsed() {
        let all = UploadLimits(
            field: "max-size=100, min-size=1 , max-append-size=50;note=\"a, b\",min-append-size=5, max-age=3600")
        #expect((all?.maxSize, all?.minSize, all?.maxAppendSize) == (100, 1, 50))
        #expect((all?.minAppendSize, all?.maxAge) == (5, 3600))
        let others = UploadLimits(field: "flag, inner=(1 2 \"x,\\\"y\"), max-size=3, text=\"max-size=9\", e=:YQ==:")
        #expect(others?.maxSize == 3)
        // A limit that is not an integer invalidates the whole field.
        for field in [
            "max-size=1.5", "max-size", "max-size=\"5\"", "max-age=-1", "=1", "MAX=1",
        ] { #expect(UploadLimits(field: field) == nil, "\(field)") }
    }

    @Test func randomFieldsNeverTrap() {
        var random = SeededGenerator(state: 3)
        for _ in 0..<5000 {
            let text = random.text(of: Array("maxsize-=,;\"\\() ?01:\u{0}é9"), upTo: 30)
            _ = UploadLimits(field: text)
            _ = StructuredField.integer(text)
        }
    }

    @Test func pieceLengthRespectsTheLimits() {
        var limits = UploadLimits()
        #expect((limits.pieceLength(rest: 100, wanted: nil), limits.pieceLength(rest: 100, wanted: 0)) == (100, 100))
        #expect(limits.pieceLength(rest: 100, wanted: 30) == 30)
        limits.minAppendSize = 40
        #expect((limits.pieceLength(rest: 100, wanted: 30), limits.pieceLength(rest: 35, wanted: 30)) == (40, 35))
        limits.maxAppendSize = 20
        #expect(limits.pieceLength(rest: 100, wanted: 30) == 20)
        limits.maxAppendSize = 0
        #expect(limits.pieceLength(rest: 100, wanted: nil) == 100)
    }
}
