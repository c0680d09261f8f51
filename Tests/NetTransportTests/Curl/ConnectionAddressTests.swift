#if os(Linux)
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// The address from which connections are made.
    @Suite(.timeLimit(.minutes(2)), .requires(.nginx)) struct ConnectionAddressTests {
        private let nginx: NginxServer

        init() async throws { nginx = try await NginxServer() }

        @Test func connectionComesFromTheLocalAddress() async throws {
            let echo = nginx.httpURL.appendingPathComponent("echo")
            for (local, address) in [("127.0.0.2", "127.0.0.2"), ("127.0.0.1", "127.0.0.1"), ("lo", "127.0.0.1")] {
                let body = try await CurlTransport { $0.localAddress = local }.fetch(echo).body
                #expect(NginxServer.echoed(body)["client-address"] == address)
            }
        }

        /// `if!lo` is a possible name of an interface.
        @Test(arguments: ["203.0.113.77", "nosuch0", "if!lo"])
        func localAddressOfAnotherMachineIsUnreachable(local: String) async throws {
            let transport = CurlTransport { $0.localAddress = local }
            for _ in 0..<2 {
                try await transport.expectFailure(.hostUnreachable, phase: .connecting, of: nginx.httpURL)
            }
        }

        @Test(arguments: ["", "a name", String(repeating: "x", count: 16)])
        func malformedLocalAddressIsUnsupported(local: String) async throws {
            let transport = CurlTransport { $0.localAddress = local }
            for _ in 0..<2 { #expect(isUnsupported(try await transport.failure(nginx.httpURL))) }
        }
    }
#endif
