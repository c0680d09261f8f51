import NetCore
import Testing

@Suite struct StatusCodeTypeTests {
    @Test(arguments: [
        (100, StatusCodeType.informational), (199, .informational), (200, .successful), (299, .successful),
        (300, .redirection), (399, .redirection), (400, .clientError), (499, .clientError), (500, .serverError),
        (599, .serverError), (-999, .cancelled), (99, .unknown), (600, .unknown), (0, .unknown), (-1, .unknown),
        (-998, .unknown), (-1000, .unknown), (999, .unknown), (.max, .unknown), (.min, .unknown),
    ]) func statusesAreClassified(_ code: Int, as type: StatusCodeType) {
        #expect(code.statusCodeType == type && StatusCodeType(statusCode: code) == type)
    }

    @Test func sevenTypesWithTheCodeOfURLErrorCancelled() {
        #expect(StatusCodeType.allCases.count == 7 && URLError.Code.cancelled.rawValue.statusCodeType == .cancelled)
    }
}
