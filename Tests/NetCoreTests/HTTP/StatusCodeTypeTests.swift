import NetCore
import Testing

@Suite struct StatusCodeTypeTests {
    /// The cheat sheet of seed 000: first and last code of each bucket.
    @Test(arguments: [
        (100, StatusCodeType.informational), (199, .informational), (200, .successful), (299, .successful),
        (300, .redirection), (399, .redirection), (400, .clientError), (499, .clientError), (500, .serverError),
        (599, .serverError), (-999, .cancelled), (99, .unknown), (600, .unknown), (0, .unknown), (-1, .unknown),
        (-998, .unknown), (-1000, .unknown), (999, .unknown), (.max, .unknown), (.min, .unknown),
    ])
    func classifies(_ code: Int, as type: StatusCodeType) {
        #expect(code.statusCodeType == type)
        #expect(StatusCodeType(statusCode: code) == type)
    }

    @Test func cancelledIsTheCodeOfURLError() { #expect(URLError.Code.cancelled.rawValue.statusCodeType == .cancelled) }

    @Test func sevenBuckets() { #expect(StatusCodeType.allCases.count == 7) }
}
