#if os(Linux)
    import Testing

    @testable import NetTransport

    struct DNSMessageTests {
        /// A response to a question about `a.bc`, with these records after the question.
        private static func response(flags: [UInt8] = [0x81, 0x80], records: [[UInt8]]) -> Data {
            Data([0, 0] + flags + [0, 1, 0, UInt8(records.count), 0, 0, 0, 0])
                + [1, 97, 2, 98, 99, 0, 0, 1, 0, 1] + Data(records.joined())
        }

        /// A pointer to the name of the question, type, class, seconds, length and data.
        private static func record(_ type: UInt8, class: UInt8 = 1, seconds: UInt8 = 9, _ data: [UInt8]) -> [UInt8] {
            [0xC0, 12, 0, type, 0, `class`, 0, 0, 0, seconds, 0, UInt8(data.count)] + data
        }

        @Test func queryEncodesTheNameAsLabels() throws {
            let header: [UInt8] = [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
            let name: [UInt8] = [1, 97, 2, 98, 99, 0]
            #expect(try DNSMessage.query("a.bc", .a) == Data(header + name + [0, 1, 0, 1]))
            #expect(try DNSMessage.query("a.bc.", .aaaa) == Data(header + name + [0, 28, 0, 1]))
        }

        @Test(arguments: [
            "", ".", "a..b", ".a", String(repeating: "a", count: 64), String(repeating: "a.", count: 127) + "b",
        ]) func malformedNameIsRefused(name: String) {
            #expect(throws: DNSMessage.Failure.self) { try DNSMessage.query(name, .a) }
        }

        @Test func longestNamesAreEncoded() throws {
            #expect(try DNSMessage.query(String(repeating: "a", count: 63), .a).count == 12 + 65 + 4)
            #expect(try DNSMessage.query(String(repeating: "a.", count: 126) + "b", .a).count == 12 + 255 + 4)
        }

        @Test func recordsOfTheTypeAreDecoded() throws {
            let six = [UInt8](repeating: 0, count: 15) + [1]
            let records = [
                Self.record(5, seconds: 7, [0xC0, 12]), Self.record(1, [192, 0, 2, 1]), Self.record(28, six),
                Self.record(1, class: 3, [192, 0, 2, 9]), Self.record(1, seconds: 5, [192, 0, 2, 2]),
            ]
            let message = Self.response(records: records)
            let four = try DNSMessage.answer(in: message, .a)
            #expect(four.addresses == ["192.0.2.1", "192.0.2.2"] && four.lifetime == 5)
            #expect(try DNSMessage.answer(in: message, .aaaa).addresses == ["::1"])
            #expect(try DNSMessage.answer(in: Self.response(records: []), .a).addresses == [])
            // A slice of other bytes has indices of its own.
            let slice = (Data([1, 2, 3]) + message).dropFirst(3)
            #expect(try DNSMessage.answer(in: slice, .a).addresses == four.addresses)
        }

        @Test func truncatedMessageIsRefused() {
            let whole = Self.response(records: [Self.record(1, [192, 0, 2, 1])])
            for length in 0..<whole.count {
                #expect(throws: DNSMessage.Failure.self) { try DNSMessage.answer(in: whole.prefix(length), .a) }
            }
        }

        @Test(arguments: [
            (response(flags: [0x01, 0], records: []), "The message is not a response of DNS."),
            (response(flags: [0x81, 0x83], records: []), "The name does not exist."),
            (response(flags: [0x81, 0x82], records: []), "The name server reports error 2."),
            (response(records: [record(1, [192, 0, 2])]), "An address in the response of DNS is malformed."),
        ]) func errorNamesTheProblemOfTheResponse(message: Data, text: String) {
            let error = #expect(throws: DNSMessage.Failure.self) { try DNSMessage.answer(in: message, .a) }
            #expect(error?.description == text)
        }

        @Test func mutatedBytesDoNotTrap() {
            let whole = Self.response(records: [Self.record(1, [192, 0, 2, 1]), Self.record(5, [1, 97, 0])])
            for index in whole.indices {
                for byte in UInt8.min...UInt8.max {
                    var message = whole
                    message[index] = byte
                    _ = try? DNSMessage.answer(in: message, .a)
                }
            }
        }
    }
#endif
