import Testing

@testable import NetTransport

/// What a transport's settings do to a request.
@Suite struct URLRequestTransportTests {
    @Test(
        arguments: [
            (60, nil, 60), (60, 300, 300), (60, 5, 5), (60, 0, 60), (60, -1, 60), (30, 300, 30), (90, 300, 90),
            (90, 5, 5), (90, nil, 90), (0, 5, 5), (60, .infinity, .infinity),
        ] as [(TimeInterval, TimeInterval?, TimeInterval)])
    func idleTimeoutIsOwnOrGeneral(_ own: TimeInterval, _ general: TimeInterval?, _ expected: TimeInterval) throws {
        var request = URLRequest(url: try url("https://a.example/"))
        request.timeoutInterval = own
        #expect(request.idleTimeout(or: general) == expected)
    }
}
