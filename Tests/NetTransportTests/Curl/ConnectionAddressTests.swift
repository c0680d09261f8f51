#if os(Linux)
    import NetCore
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// The family of addresses, and the address from which connections are made.
    @Suite(.timeLimit(.minutes(2)), .requires(.nginx))
    struct ConnectionAddressTests {
        private let nginx: NginxServer

        init() async throws {
            nginx = try await NginxServer()
        }

        @Test(arguments: TransportConfiguration.AddressFamily.allCases)
        func onlyTheFamilyIsUsed(family: TransportConfiguration.AddressFamily) async throws {
            let small = nginx.httpURL.appendingPathComponent("small")
            let transport = CurlTransport {
                $0.addressFamily = family
                $0.resolveOverrides = [
                    TransportConfiguration.ResolveOverride(
                        host: "both.invalid", port: small.port ?? 0, addresses: ["127.0.0.1", "::1"])
                ]
            }
            func url(_ host: String) throws -> URL {
                try #require(URL(string: "http://\(host):\(small.port ?? 0)/small"))
            }
            for (host, wrong) in [("127.0.0.1", TransportConfiguration.AddressFamily.ipv6Only), ("[::1]", .ipv4Only)] {
                guard family == wrong else { continue }
                let error = try await transport.failure(url(host)) as? TransportError
                #expect(error?.code == .nameNotResolved && error?.phase == .resolving, "\(String(describing: error))")
            }
            guard nginx.listensOnIPv6 else { return }
            var request = URLRequest(url: try url("both.invalid"))
            request.timeoutInterval = 20
            let response = try await transport.send(request, body: nil, context: RequestContext())
            let address = try #require(response.metrics.remoteAddress)
            switch family {
            case .any: break
            case .ipv4Only: #expect(address.contains("127.0.0.1"))
            case .ipv6Only: #expect(address.contains("::1"))
            }
        }

        @Test func connectsFromTheLocalAddress() async throws {
            let echo = nginx.httpURL.appendingPathComponent("echo")
            for local in ["127.0.0.2", "127.0.0.1"] {
                let transport = CurlTransport { $0.localAddress = local }
                let body = try await transport.fetch(echo).body
                #expect(NginxServer.echoed(body)["client-address"] == local)
            }
            #expect(try await CurlTransport { $0.localAddress = "lo" }.fetch(echo).status == 200)
        }

        @Test(arguments: ["203.0.113.77", "nosuch0"])
        func anAddressOfAnotherMachineIsAnError(local: String) async throws {
            let error = try await CurlTransport { $0.localAddress = local }.failure(nginx.httpURL) as? TransportError
            #expect(error?.code == .hostUnreachable && error?.phase == .connecting, "\(String(describing: error))")
        }

        @Test(arguments: ["", "a name", "if!lo", String(repeating: "x", count: 16)])
        func whatIsNoAddressAndNoNameIsRefused(local: String) async throws {
            // `if!lo` is a possible name of an interface, and there is none of it.
            let error = try await CurlTransport { $0.localAddress = local }.failure(nginx.httpURL)
            #expect(isUnsupported(error) || (error as? TransportError)?.code == .hostUnreachable)
        }
    }
#endif
