#if os(Linux)
    import NetTesting
    import NetTransport
    import TestLab
    import Testing

    /// DNS over HTTPS (RFC 8484) against a server of the test's own.
    @Suite(.timeLimit(.minutes(2))) struct DNSOverHTTPSTests {
        private let server: MockServer

        init() throws { server = try MockServer { _ in .text("x") } }

        /// The one question of a query: name, type, and its bytes.
        private struct Question {
            let name: String
            /// 1 for IPv4 addresses (RFC 1035, section 3.2.2), and 28 for IPv6 addresses (RFC 3596).
            let type: UInt8
            let bytes: Data

            init?(_ query: Data) {
                let query = Array(query)
                guard query.count > 12 else { return nil }
                var (labels, index) = ([String](), 12)
                while index < query.count, query[index] > 0, index + Int(query[index]) < query.count {
                    labels.append(String(decoding: query[(index + 1)...(index + Int(query[index]))], as: UTF8.self))
                    index += Int(query[index]) + 1
                }
                guard index + 5 <= query.count else { return nil }
                name = labels.joined(separator: ".")
                type = query[index + 2]
                bytes = Data(query[12..<(index + 5)])
            }
        }

        /// A response with these addresses as records of its question (RFC 1035, section 4).
        private static func message(_ question: Question, _ addresses: [[UInt8]]) -> Data {
            var message = Data([0, 0, 0x81, 0x80, 0, 1, 0, UInt8(addresses.count), 0, 0, 0, 0]) + question.bytes
            for address in addresses {
                // A pointer to the name, type, class IN, 60 s, length.
                message += [0xC0, 12, 0, question.type, 0, 1, 0, 0, 0, 60, 0, UInt8(address.count)] + address
            }
            return message
        }

        private final class Names: Sendable {
            let server: MockServer
            let asked = Locked<[String]>([])

            /// - Parameter records: the addresses of each name, of 4 and 16 bytes.
            init(
                _ records: [String: [[UInt8]]] = ["shop.example": [[127, 0, 0, 1]]],
                versions: MockHTTPVersions = .automatic
            ) async throws {
                let asked = asked
                server = try MockServer(certificate: try await .shared, httpVersions: versions) { request in
                    guard let question = Question(request.body) else { return .status(400) }
                    asked.withLock { $0.append(question.name) }
                    if question.name.hasPrefix("slow") { try await Task.sleep(nanoseconds: 1 << 60) }
                    let size = question.type == 28 ? 16 : 4
                    let addresses = (records[question.name] ?? []).filter { $0.count == size }
                    return .data(message(question, addresses), contentType: "application/dns-message")
                }
            }
        }

        private func transport(_ names: Names, _ change: SettingsChange = { _ in }) async throws -> CurlTransport {
            let authority = try await MockCertificate.shared.authority
            return CurlTransport(change) {
                ($0.dnsOverHTTPS, $0.proxy) = (names.server.url("/dns-query"), .none)
                $0.certificateAuthorities = .only(pem: authority)
            }
        }

        @Test(arguments: [MockHTTPVersions.http1Only, .automatic, .http2Only])
        func hostIsResolvedByDNSOverHTTPS(versions: MockHTTPVersions) async throws {
            let names = try await Names(versions: versions)
            let transport = try await transport(names)
            for _ in 0..<3 { #expect(try await transport.fetch(url("shop.example", server)).status == 200) }
            #expect(Set(names.asked.withLock { $0 }) == ["shop.example"])
            #expect(names.server.requests.first?.headers["Content-Type"] == "application/dns-message")
            #expect(names.server.requests.contains { $0.stream != nil } == (versions != .http1Only))
        }

        /// The origin's trust policy, HTTP/2 and certificate are the origin's; libcurl's own connection to the DoH server has none of them.
        @Test func trustPolicyIsNotAskedAboutTheDoHServer() async throws {
            let names = try await Names(["localtest.example": [[127, 0, 0, 1]]])
            let other = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["localtest.example"])
            let authorities = try await MockCertificate.shared.authority + other.authority
            let server = try MockServer(certificate: other, httpVersions: .automatic) { _ in .text("x") }
            let policy = LeafPolicy()
            let transport = try await transport(names) {
                ($0.certificateAuthorities, $0.trustPolicy) = (.only(pem: authorities), policy)
            }
            try await transport.fetchAtOnce(Array(repeating: url("localtest.example", server), count: 20))
            #expect(policy.hosts == ["localtest.example"])
            #expect(server.requests.allSatisfy { $0.stream != nil } && server.connectionCount == 1)
        }

        @Test(arguments: [TransportError.Code.addressNotAllowed, .nameNotResolved])
        func addressPolicyAndFamilyCheckTheAnswer(_ code: TransportError.Code) async throws {
            let names = try await Names()
            let transport = try await transport(names) {
                if code == .nameNotResolved { $0.addressFamily = .ipv6Only } else { $0.addressPolicy = .publicOnly }
            }
            try await transport.expectFailure(code, of: url("shop.example", server))
            #expect(server.connectionCount == 0)
        }

        /// `vm` and the like are in the hosts file of the machine: libcurl must not fall back to the system's resolver.
        @Test(.enabled(if: ownName != nil)) func systemResolverIsNotAFallback() async throws {
            let own = try #require(Self.ownName)
            let names = try await Names([:])
            let transport = try await transport(names)
            #expect(try await CurlTransport().fetch(url(own, server)).status == 200)
            try await transport.expectFailure(.nameNotResolved, phase: .resolving, of: url(own, server))
            // An untrusted, a broken and a missing server.
            let untrusted = try await self.transport(names) { $0.certificateAuthorities = .system }
            try await untrusted.expectFailure(.nameNotResolved, of: url(own, server))
            for answer in [MockResponse.status(500), .data(Data([1, 2, 3]), contentType: "application/dns-message")] {
                names.server.enqueue(answer, answer)
                try await transport.expectFailure(.nameNotResolved, of: url(own, server))
            }
            await names.server.stop()
            try await transport.expectFailure(.nameNotResolved, of: url(own, server))
            #expect(server.requestCount == 1)
        }

        /// A name other than localhost that the system finds on this machine.
        private static var ownName: String? {
            let lines = (try? String(contentsOfFile: "/etc/hosts", encoding: .utf8))?.split(separator: "\n") ?? []
            let names = lines.filter { $0.hasPrefix("127.0.0.1") }.flatMap { $0.split(whereSeparator: \.isWhitespace) }
            return names.dropFirst().map(String.init).first { !$0.hasSuffix("localhost") && $0 != "127.0.0.1" }
        }

        /// The records of the mock may be kept for 60 s.
        @Test func answerIsCachedForItsTTL() async throws {
            let (names, server) = (try await Names(), try MockServer { _ in .text("x").closingConnection() })
            let transport = try await transport(names)
            for _ in 0..<3 { #expect(try await transport.fetch(url("shop.example", server)).status == 200) }
            #expect(server.connectionCount == 3 && names.server.requestCount == 2)
        }

        @Test func localAddressIsNotUsedForTheDoHServer() async throws {
            let names = try await Names()
            let transport = try await transport(names) { $0.localAddress = "127.0.0.2" }
            let connection = try await transport.stream(url("shop.example", server)).connection
            #expect(connection?.localAddress?.hasPrefix("127.0.0.2:") == true)
        }

        @Test func cancelledLookUpLeavesTheTransportUsable() async throws {
            let names = try await Names()
            let transport = try await transport(names)
            for index in 0..<10 {
                let name = "slow\(index).example"
                let task = Task { try await transport.fetch(url(name, server)).status }
                _ = try await waitUntil("\(name) is asked") { names.asked.withLock { $0.contains(name) ? true : nil } }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(try await transport.fetch(url("shop.example", server)).status == 200)
            }
        }

        @Test(arguments: ["http://127.0.0.1/dns-query", "127.0.0.1", "https:///dns-query"])
        func malformedDoHURLIsUnsupported(text: String) async throws {
            let transport = CurlTransport { $0.dnsOverHTTPS = URL(string: text) }
            #expect(isUnsupported(try await transport.failure(url("http://a.invalid/"))))
        }
    }
#endif
