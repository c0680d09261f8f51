#if os(Linux)
    import CLibcurl
    import Testing

    @testable import NetTransport

    struct ContentCodingsTests {
        private func names(_ fields: String...) throws -> [String] {
            var headers = HTTPHeaders()
            for field in fields { headers.append(name: "Content-Encoding", value: field) }
            return try ContentCodings.outermostFirst(in: headers, url: nil).map(ContentCodings.name)
        }

        @Test func decodesTheLastCodingFirst() throws {
            #expect(try names("gzip") == ["gzip"])
            #expect(try names("X-GZIP") == ["gzip"])
            #expect(try names("deflate, gzip", "br") == ["br", "gzip", "deflate"])
            #expect(try names("identity, , zstd") == ["zstd"])
        }

        @Test func decodesNothingIfOneIsUnknown() throws {
            #expect(try names("aws-chunked").isEmpty)
            #expect(try names("gzip, compress").isEmpty)
            #expect(try names("identity").isEmpty)
            #expect(try names("").isEmpty)
        }

        @Test func takesFiveAtMost() throws {
            #expect(try names("gzip, gzip, gzip, gzip, gzip").count == 5)
            #expect(throws: TransportError.self) { try names("gzip, gzip, gzip", "gzip, gzip, gzip") }
        }

        @Test func asksForWhatThisMachineCanDecode() { #expect(ContentCodings.accepted == "gzip, deflate, br, zstd") }
    }
#endif
