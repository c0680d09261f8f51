import NetSystem
import Testing

@Suite struct ASCIITests {
    @Test(arguments: [
        ("", "", true), ("a", "A", true), ("Content-Type", "cONTENT-tYPE", true), ("a", "b", false), ("a", "aa", false),
        ("aa", "a", false), ("az", "AZ", true),
        // The neighbours of the letters differ in the same bit, and are no letters.
        ("@", "`", false), ("[", "{", false),
        // Case outside ASCII is not HTTP's business: ä, the Kelvin sign and k, the long s and s.
        ("ä", "Ä", false), ("\u{212A}", "k", false), ("\u{17F}", "s", false), ("ä", "ä", true),
        // The same text for Unicode, other bytes.
        ("\u{E9}", "e\u{301}", false),
    ]) func comparesWithoutCase(_ left: String, _ right: String, isEqual: Bool) {
        #expect(left.equalsIgnoringASCIICase(right) == isEqual && right.equalsIgnoringASCIICase(left) == isEqual)
        if isEqual { #expect(left.asciiLowercased == right.asciiLowercased) }
    }

    @Test func lowersASCIIOnly() {
        #expect("@AZ[ÄK\u{212A}".asciiLowercased == "@az[Äk\u{212A}")
        #expect("\u{212A}".asciiLowercased.unicodeScalars.elementsEqual("\u{212A}".unicodeScalars))
        for byte in UInt8.min...UInt8.max {
            let isUpper = (65...90).contains(byte)
            #expect(byte.asciiLowercased == (isUpper ? byte + 32 : byte))
        }
    }

    /// RFC 9110, section 5.6.2.
    @Test func knowsTheCharactersOfATokenExactly() {
        let allowed = Set(
            "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars)
        for value in UInt32(0)..<0x180 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(String(scalar).isHTTPToken == allowed.contains(scalar), "U+\(String(value, radix: 16))")
        }
        #expect(!"".isHTTPToken && !"GET ".isHTTPToken && "GET".isHTTPToken)
    }

    @Test(arguments: [
        ("", ""), (" ", ""), ("\t \t", ""), ("a", "a"), (" a", "a"), ("a\t", "a"), (" \ta b\t ", "a b"),
        // Only these two count: RFC 9110, section 5.6.3.
        ("\na\r\n", "\na\r\n"), ("\u{A0}a\u{A0}", "\u{A0}a\u{A0}"), (" ä ", "ä"), (" 👍 ", "👍"),
    ]) func trims(_ text: String, to trimmed: String) {
        #expect(text.trimmingHTTPWhitespace == trimmed && text.withoutHTTPWhitespace == trimmed)
    }

    @Test func trimsASpaceThatBearsAMark() {
        #expect(" \u{301}a".trimmingHTTPWhitespace.unicodeScalars.elementsEqual("\u{301}a".unicodeScalars))
    }
}
