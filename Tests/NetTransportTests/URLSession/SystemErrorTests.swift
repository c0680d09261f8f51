import Testing

@testable import NetTransport

/// The system's errors as crash reporters see them.
@Suite struct SystemErrorTests {
    private let url = URL(string: "https://user:word@api.example.com/a?token=secret")

    private func systemError(_ code: URLError.Code) throws -> URLError {
        let url = try #require(url)
        let info: [String: Any] = [
            NSURLErrorFailingURLErrorKey: url, "NSErrorFailingURLStringKey": url.absoluteString,
            NSLocalizedDescriptionKey: "lost", "_kCFStreamErrorCodeKey": 54, "_object": NSObject(),
            NSUnderlyingErrorKey: NSError(
                domain: "kCFErrorDomainCFNetwork", code: code.rawValue,
                userInfo: [NSURLErrorFailingURLErrorKey: url, "_text": "secret"]),
        ]
        return URLError(code, userInfo: info)
    }

    private func failure(_ code: URLError.Code) throws -> NetworkFailure {
        var error = TransportError(.connectionReset, phase: .waiting, message: "reset", url: url)
        error.setSystemError(try systemError(code))
        return NetworkFailure(cause: error.networkError, underlyingError: error)
    }

    @Test func systemErrorIsTheRedactedUnderlyingError() throws {
        let bridged = try failure(.networkConnectionLost) as NSError
        #expect(bridged.domain == "NetCore.NetworkError" && bridged.code == 1004)
        let transport = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(transport.domain == "NetCore.TransportError" && transport.code == 4)
        let system = try #require(transport.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(system.domain == NSURLErrorDomain && system.code == URLError.networkConnectionLost.rawValue)
        #expect(system.userInfo["_kCFStreamErrorCodeKey"] as? Int == 54)
        let beneath = try #require(system.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "kCFErrorDomainCFNetwork")
        for error in [bridged, transport, system, beneath] {
            let text = "\(error.userInfo)"
            #expect(!text.contains("secret") && !text.contains("word@") && !text.contains("NSObject"))
            #expect(try #require(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL).host == "api.example.com")
        }
        #expect(try failure(.timedOut).systemError is URLError)
    }

    @Test func prohibitedLocalNetworkIsNotOffline() throws {
        let path = ["_NSURLErrorNWPathKey": "unsatisfied (Local network prohibited), interface: en0"]
        let beneath = NSError(domain: "kCFErrorDomainCFNetwork", code: -1009, userInfo: path)
        var error = TransportError(.hostUnreachable, phase: .connecting, message: "offline")
        error.setSystemError(URLError(.notConnectedToInternet, userInfo: [NSUnderlyingErrorKey: beneath]))
        #expect(error.networkUnavailableReason == .localNetworkProhibited)
        #expect(error.description.contains("Local Network"))
        #expect(error.adding(url: url).networkUnavailableReason == .localNetworkProhibited)
        error.setSystemError(URLError(.notConnectedToInternet))
        #expect(error.networkUnavailableReason == nil)
        error.setSystemError(URLError(.dataNotAllowed))
        #expect(error.networkUnavailableReason == .cellular)
    }
}
