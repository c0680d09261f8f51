import Testing

@testable import NetTesting

/// Field blocks: the examples of RFC 7541, appendix C, and what must be refused.
struct HPACKTests {
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.filter { !$0.isWhitespace })
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }

    private func fields(_ decoder: inout HPACKDecoder, _ hex: String) throws -> [String] {
        try decoder.decode(bytes(hex)).fields.map { "\($0.name): \($0.value)" }
    }

    @Test(arguments: [
        ("400a637573746f6d2d6b65790d637573746f6d2d686561646572", "custom-key: custom-header"),
        ("040c2f73616d706c652f70617468", ":path: /sample/path"),
        ("100870617373776f726406736563726574", "password: secret"), ("82", ":method: GET"),
    ]) func decodesSingleFields(_ hex: String, _ expected: String) throws {
        var decoder = HPACKDecoder()
        #expect(try fields(&decoder, hex) == [expected])
    }

    /// C.3 and C.4: the same requests, plain and with the Huffman code.
    @Test(arguments: [
        [
            "828684410f7777772e6578616d706c652e636f6d", "828684be58086e6f2d6361636865",
            "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
        ],
        [
            "828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf",
            "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
        ],
    ]) func decodesRequests(_ blocks: [String]) throws {
        var decoder = HPACKDecoder()
        let start = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"]
        #expect(try fields(&decoder, blocks[0]) == start)
        #expect(try fields(&decoder, blocks[1]) == start + ["cache-control: no-cache"])
        #expect(
            try fields(&decoder, blocks[2]) == [
                ":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com",
                "custom-key: custom-value",
            ])
    }

    /// C.5 and C.6: responses with a table of 256 bytes, which evicts.
    @Test(arguments: [
        [
            """
            4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d54
            6e1768747470733a2f2f7777772e6578616d706c652e636f6d
            """,
            "4803333037c1c0bf",
            """
            88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d
            4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31
            """,
        ],
        [
            """
            488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff
            6e919d29ad171863c78f0b97c8e9ae82ae43d3
            """,
            "4883640effc1c0bf",
            """
            88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960
            d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007
            """,
        ],
    ]) func evicts(_ blocks: [String]) throws {
        var decoder = HPACKDecoder(tableSize: 256)
        let date = "date: Mon, 21 Oct 2013 20:13:21 GMT"
        let location = "location: https://www.example.com"
        #expect(try fields(&decoder, blocks[0]) == [":status: 302", "cache-control: private", date, location])
        #expect(try fields(&decoder, blocks[1]) == [":status: 307", "cache-control: private", date, location])
        #expect(
            try fields(&decoder, blocks[2]) == [
                ":status: 200", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:22 GMT", location,
                "content-encoding: gzip", "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
            ])
    }

    @Test(arguments: [
        ("80", "The table has no entry 0."), ("be", "The table has no entry 62."),
        ("ffffffffffff", "An integer is too large."), ("ff", "The block ends in a field."),
        ("00057879", "The block ends in a string."), ("008100", "The Huffman code is invalid."),
        ("0084ffffffff", "The Huffman code is invalid."), ("3fe21f", "The table size is above the setting."),
        ("8220", "A table size update follows a field."),
    ]) func refuses(_ hex: String, _ reason: String) {
        var decoder = HPACKDecoder()
        #expect(throws: ProtocolError(reason: reason)) { try decoder.decode(bytes(hex)) }
    }

    @Test func forgetsWhatItEvicts() throws {
        // Two entries of 34 bytes fit in.
        var decoder = HPACKDecoder(tableSize: 68)
        for name in UInt8(ascii: "a")...UInt8(ascii: "c") { _ = try decoder.decode([0x40, 1, name, 1, 0x31]) }
        #expect(try decoder.decode([0xBE, 0xBF]).fields.map(\.name) == ["c", "b"])
        #expect(throws: ProtocolError.self) { try decoder.decode([0xC0]) }
    }

    @Test func keepsNoMoreThanTheLimit() throws {
        var decoder = HPACKDecoder(listLimit: 10_000)
        // A field of 4,000 bytes goes into the table, and is repeated 20,000 times.
        var block: [UInt8] = [0x40, 1, 0x78, 0x7F, 0xA1, 0x1E] + Array(repeating: 0x79, count: 4_000)
        block += Array(repeating: 0xBE, count: 20_000)
        let list = try decoder.decode(block)
        #expect(list.isTooLarge && list.fields.count == 2)
        // The table is still right.
        #expect(try decoder.decode([0xBE]).fields.first?.name == "x")
    }

    @Test func countsBytesAndNotCharacters() throws {
        // Two entries of 33 bytes each; read as ISO 8859-1, their values have two bytes in UTF-8.
        var decoder = HPACKDecoder(tableSize: 68)
        #expect(
            try decoder.decode([0x40, 1, 0x61, 1, 0xE4, 0x40, 1, 0x62, 1, 0xF6]).fields.map(\.value) == ["ä", "ö"])
        #expect(try decoder.decode([0xBE, 0xBF]).fields.map(\.name) == ["b", "a"])
    }

    @Test func encodesWhatItDecodes() throws {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        let fields = [HPACKField("x-new", "välue"), HPACKField("age", String(repeating: "1", count: 100_000))]
        #expect(try decoder.decode(encoder.encode(fields)).fields == fields)
        #expect(encoder.encode([HPACKField("a", "b")]) == [0, 1, 0x61, 1, 0x62])
        encoder.setTableSize(100)
        #expect((encoder.encode([HPACKField("a", "b")]), encoder.encode([])) == ([0x20, 0, 1, 0x61, 1, 0x62], []))
    }

    @Test func decodesTheStaticTable() throws {
        var decoder = HPACKDecoder()
        #expect(try decoder.decode((1...61).map { 0x80 | $0 }).fields == HPACKTable.fixed)
    }

    @Test func decodesEachByteOfTheHuffmanCode() {
        // "a" is 00011, "0" 00000, and ones are padding.
        #expect(HPACKHuffman.decode([0x1F][...]) == Array("a".utf8))
        #expect(HPACKHuffman.decode([0x00, 0x7F][...]) == Array("01".utf8))
        #expect((HPACKHuffman.decode([0x00, 0x3F][...]), HPACKHuffman.decode([][...])) == (Array("00".utf8), []))
        #expect(HPACKHuffman.decode([0xFF][...]) == nil)
        // 255 has 26 bits: 3ffffee.
        #expect(HPACKHuffman.decode([0xFF, 0xFF, 0xFB, 0xBF][...]) == [255])
    }
}
