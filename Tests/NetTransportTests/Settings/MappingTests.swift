import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetTransport

/// `URLSessionConfiguration` → `TransportConfiguration`, property by property.
@Suite struct MappingTests {
    private final class Mock: URLProtocol {}

    private let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: nil)

    private func map(
        _ session: URLSessionConfiguration = .default, _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) throws(NetworkError) -> TransportConfiguration {
        change(session)
        return try TransportConfiguration(mapping: session)
    }

    private func expectRefusal(
        of property: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (URLSessionConfiguration) -> Void
    ) {
        let error = #expect(throws: NetworkError.self, sourceLocation: sourceLocation) { try map(.default, change) }
        let text = "\(error as Any)"
        #expect(error.map(isUnsupported) == true, "\(property): \(text)", sourceLocation: sourceLocation)
        #expect(text.contains("URLSessionConfiguration.\(property) "), "\(text)", sourceLocation: sourceLocation)
    }

    /// All of it, since the type is not Equatable.
    private func text(_ configuration: TransportConfiguration) -> String {
        var text = ""
        dump(configuration, to: &text)
        return text
    }

    @Test func defaultConfigurationMapsToDefault() throws {
        let usual = text(TransportConfiguration())
        #expect(text(try map(.default)) == usual)
        var ephemeral = try map(.ephemeral)
        #expect(ephemeral.cookies == .memory)
        ephemeral.cookies = .platform
        #expect(text(ephemeral) == usual)
    }

    // MARK: Taken over

    @Test func timeoutsAreMapped() throws {
        let configuration = try map { ($0.timeoutIntervalForRequest, $0.timeoutIntervalForResource) = (120, 900.5) }
        #expect(configuration.timeouts.idle == 120 && configuration.timeouts.total == 900.5)
        for seconds in [0, -1, TimeInterval.nan] {
            expectRefusal(of: "timeoutIntervalForRequest") { $0.timeoutIntervalForRequest = seconds }
            expectRefusal(of: "timeoutIntervalForResource") { $0.timeoutIntervalForResource = seconds }
        }
    }

    @Test func connectionsPerHostAreMapped() throws {
        #expect(try map { $0.httpMaximumConnectionsPerHost = 2 }.limits.connectionsPerHost == 2)
        expectRefusal(of: "httpMaximumConnectionsPerHost") { $0.httpMaximumConnectionsPerHost = 0 }
    }

    @Test func cookieSettingsAreMapped() throws {
        #expect(try map { $0.httpShouldSetCookies = false }.cookies == .off)
        #expect(try map { $0.httpCookieAcceptPolicy = .never }.cookies == .off)
        #expect(try map { $0.httpCookieStorage = nil }.cookies == .off)
        #expect(try map { $0.httpCookieAcceptPolicy = .always }.cookies == .platform)
        #expect(try map(.ephemeral).cookies == .memory)
        let filled = URLSessionConfiguration.ephemeral
        let cookie = try #require(HTTPCookie(properties: [.name: "a", .value: "b", .domain: "a.example", .path: "/"]))
        filled.httpCookieStorage?.setCookie(cookie)
        expectRefusal(of: "httpCookieStorage") { $0.httpCookieStorage = filled.httpCookieStorage }
    }

    @Test func additionalHeadersAreMapped() throws {
        let configuration = try map { $0.httpAdditionalHeaders = ["Accept-Language": "de", "X-App": "1"] }
        #expect(configuration.additionalHeaders.dictionary == ["Accept-Language": "de", "X-App": "1"])
        for name in ["Host", "HOST"] {
            expectRefusal(of: "httpAdditionalHeaders[\"\(name)\"]") { $0.httpAdditionalHeaders = [name: "s3cr3t"] }
        }
        expectRefusal(of: "httpAdditionalHeaders") { $0.httpAdditionalHeaders = ["X": "a\r\nY: b"] }
        expectRefusal(of: "httpAdditionalHeaders") { $0.httpAdditionalHeaders = ["X": [1]] }
    }

    // MARK: Proxies

    private func proxy(_ dictionary: [AnyHashable: Any]?) throws -> TransportConfiguration.Proxy {
        try map { $0.connectionProxyDictionary = dictionary }.proxy
    }

    private let both: [AnyHashable: Any] = [
        "HTTPEnable": 1, "HTTPProxy": "p.example", "HTTPPort": 3128, "HTTPSEnable": true, "HTTPSProxy": "p.example",
        "HTTPSPort": 3128,
    ]
    private let except: [AnyHashable: Any] = ["ExceptionsList": ["a.example", "*.a.example"]]

    @Test func httpProxyDictionaryIsMapped() throws {
        #expect(try proxy(nil) == .system)
        for off in [[:], ["HTTPEnable": 0, "HTTPSEnable": false, "SOCKSEnable": 0]] as [[AnyHashable: Any]] {
            #expect(try proxy(off) == TransportConfiguration.Proxy.none)
        }
        #expect(try proxy(both) == .http(host: "p.example", port: 3128))
        let login: [AnyHashable: Any] = ["kCFProxyUsernameKey": "user", "kCFProxyPasswordKey": "word"]
        #expect(
            try proxy(both.merging(login) { $1 }.merging(except) { $1 })
                == .http(host: "p.example", port: 3128, username: "user", password: "word", exceptions: ["a.example"]))
    }

    @Test func socksProxyDictionaryIsMapped() throws {
        let all: [AnyHashable: Any] = ["SOCKSEnable": 1, "SOCKSProxy": "p.example", "SOCKSPort": 1080, "HTTPEnable": 0]
        #expect(try proxy(all) == .socks5(host: "p.example", port: 1080))
        let direct = TransportConfiguration.Proxy.socks5(host: "p.example", port: 1080, exceptions: ["a.example"])
        #expect(try proxy(all.merging(except) { $1 }) == direct)
        for part: [AnyHashable: Any] in [["SOCKSPort": 0], ["SOCKSProxy": 7], ["kCFProxyUsernameKey": "user"]] {
            expectRefusal(of: "connectionProxyDictionary") { $0.connectionProxyDictionary = all.merging(part) { $1 } }
        }
    }

    @Test func unmappableProxyDictionaryIsUnsupported() {
        let changes: [[AnyHashable: Any]] = [
            ["HTTPSEnable": 0], ["HTTPSProxy": "q.example"], ["HTTPPort": 0], ["HTTPPort": 70_000], ["HTTPProxy": 7],
            ["SOCKSEnable": 1], ["ProxyAutoConfigEnable": 1], ["Strange": 1], [7: 7],
            ["ExceptionsList": ["a.example"]], ["ExceptionsList": ["*.a.example"]], ["ExceptionsList": "a"],
        ]
        for part in changes {
            expectRefusal(of: "connectionProxyDictionary") { $0.connectionProxyDictionary = both.merging(part) { $1 } }
        }
    }

    // MARK: Refused

    @Test func settingsWithoutCounterpartAreUnsupported() throws {
        expectRefusal(of: "urlCache") { $0.urlCache = cache }
        #expect(text(try map { $0.urlCache = nil }) == text(TransportConfiguration()))
        expectRefusal(of: "requestCachePolicy") { $0.requestCachePolicy = .returnCacheDataElseLoad }
        expectRefusal(of: "requestCachePolicy") { $0.requestCachePolicy = .reloadIgnoringLocalCacheData }
        expectRefusal(of: "allowsCellularAccess") { $0.allowsCellularAccess = false }
        expectRefusal(of: "protocolClasses") { $0.protocolClasses = [Mock.self] }
        expectRefusal(of: "protocolClasses") { $0.protocolClasses = nil }
        expectRefusal(of: "isDiscretionary") { $0.isDiscretionary = true }
    }

    @Test func filledCredentialStorageIsUnsupported() throws {
        let session = URLSessionConfiguration.ephemeral
        let space = URLProtectionSpace(host: "a", port: 443, protocol: "https", realm: nil, authenticationMethod: nil)
        session.urlCredentialStorage?.set(URLCredential(user: "u", password: "p", persistence: .forSession), for: space)
        expectRefusal(of: "urlCredentialStorage") { $0.urlCredentialStorage = session.urlCredentialStorage }
        #expect(text(try map { $0.urlCredentialStorage = nil }) == text(TransportConfiguration()))
    }

    @Test func oneErrorNamesAllThatCannotBeMapped() {
        let error = #expect(throws: NetworkError.self) {
            _ = try map {
                $0.urlCache = cache
                $0.requestCachePolicy = .returnCacheDataElseLoad
                $0.allowsCellularAccess = false
                $0.httpAdditionalHeaders = ["Host": "a.example"]
            }
        }
        for property in ["urlCache", "requestCachePolicy", "allowsCellularAccess", "httpAdditionalHeaders"] {
            #expect("\(error as Any)".contains("URLSessionConfiguration.\(property)"))
        }
        #expect("\(error as Any)".contains("ResponseCache(store: URLCacheStore(cache))"))
    }

    @Test(arguments: TransportConfiguration.ServiceType.allCases)
    func serviceTypeIsMapped(_ type: TransportConfiguration.ServiceType) throws {
        #expect(try map { $0.networkServiceType = type.system }.serviceType == type)
    }

    @Test @available(*, deprecated, message: "Tests what is deprecated.") func deprecatedSettingsAreUnsupported() {
        expectRefusal(of: "networkServiceType") { $0.networkServiceType = .voip }
        expectRefusal(of: "httpShouldUsePipelining") { $0.httpShouldUsePipelining = true }
        expectRefusal(of: "shouldUseExtendedBackgroundIdleMode") { $0.shouldUseExtendedBackgroundIdleMode = true }
    }

    // MARK: As a transport

    @Test func platformTransportMapsASessionConfiguration() async throws {
        let server = try MockServer { _ in .text("ok") }
        let session = URLSessionConfiguration.default
        session.httpAdditionalHeaders = ["X-App": "1"]
        _ = try await NetworkClient(transport: .platform(session)).data(for: URLRequest(url: server.url("/")))
        #expect(try await server.takeRequest().headers["X-App"] == "1")

        session.requestCachePolicy = .returnCacheDataDontLoad
        let refused = NetworkClient(transport: .platform(session))
        let error = try await failure { try await refused.data(for: URLRequest(url: server.url("/"))) }
        #expect(error.cause.code == "unsupported" && server.requests.count == 1)
    }

    @Test func platformTransportTakesBothKindsOfConfiguration() {
        // They compile beside each other; without a type it is ours.
        _ = PlatformTransport.platform(.init())
        _ = PlatformTransport.platform(TransportConfiguration())
        _ = PlatformTransport.platform(.default)
        _ = PlatformTransport.platform(URLSessionConfiguration.ephemeral)
    }
}
