import NetCore
import Testing

@Suite struct AppleCharsetTests {
    @Test(
        arguments: [
            ("windows-1251", [0xC9], "Й"), ("Shift_JIS", [0x93, 0xFA], "日"), ("latin2", [0xB3], "ł"),
            ("utf-16be", [0x00, 0xE4], "ä"),
        ] as [(String, [UInt8], String)])
    func charsetNameIsKnown(_ name: String, bytes: [UInt8], text: String) throws {
        let response = TransportResponse(
            status: 200, headers: ["Content-Type": "text/plain; charset=\(name)"], url: nil)
        #expect(try StringSerializer().serialize(Data(bytes), response: response) == text)
    }

    @Test("A name that the list or CoreFoundation does not know is its own error", arguments: ["unheard-of", "koi8-u"])
    func unknownCharsetNameIsNil(_ name: String) throws {
        let response = TransportResponse(
            status: 200, headers: ["Content-Type": "text/plain; charset=\(name)"], url: nil)
        let error = try #require(throws: NetworkError.self) {
            try StringSerializer().serialize(Data("a".utf8), response: response)
        }
        guard case .decodingError(let cause as StringSerializer.UnknownCharset) = error else { throw error }
        #expect(cause.name == name)
    }
}
