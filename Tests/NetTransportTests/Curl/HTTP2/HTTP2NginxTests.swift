#if os(Linux)
    import NetClient
    import TestLab
    import Testing

    @Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct HTTP2NginxTests {
        private let nginx: NginxServer
        private let transport: CurlTransport

        init() async throws {
            nginx = try await NginxServer()
            transport = try await .trusting()
        }

        @Test(arguments: [100, 100_000, 3_000_000], [Int64?.none, 0])
        func uploadToNginxArrivesWhole(count: Int, declared: Int64?) async throws {
            let data = pattern(count)
            let stream = HTTPBody(
                stream: dataStream(data.pieces(of: 70_000)), length: declared.map { _ in Int64(count) })
            for (name, body) in ["data": HTTPBody(data), "stream": stream] {
                let path = "upload/\(name)-\(count)-\(declared != nil)"
                let url = nginx.http2URL.appendingPathComponent(path)
                #expect([201, 204].contains(try await transport.fetch(url, "PUT", body: body).status))
                #expect(try nginx.read(path) == data)
            }
        }

        @Test func concurrentDownloadsFromNginxAreWhole() async throws {
            let url = nginx.http2URL.appendingPathComponent("64k")
            let counts = try await atOnce(200) { [transport] _ in try await transport.fetch(url).body.count }
            #expect(counts.allSatisfy { $0 == 65_536 })
        }
    }
#endif
