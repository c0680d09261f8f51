import NetTransfer
import Testing

@Suite struct MIMETypeTests {
    /// What the table of the SDK lacks, the system's types say.
    @Test func typeOfAFileComesFromTheSystem() {
        #expect(MIMEType.forExtension("appdocument") == "application/x-app-document")
        #expect(MIMEType.forFile(named: "letter.AppDocument") == "application/x-app-document")
        // Declared without a MIME type, and not declared at all.
        #expect(MIMEType.forExtension("appcache") == nil)
        #expect(MIMEType.forFile(named: "a.doesnotexist") == MIMEType.octetStream)
    }
}
