import NetCore
import Testing

@Suite struct StatusCodeTypeTests {
    func statusesAreClassified(_ code: Int, as type: StatusCodeType) {
        #expect(code.statusCodeType == type && StatusCodeType(statusCode: code) == type)
    }

    @Test func sevenTypesWithTheCodeOfURLErrorCancelled() {
        #expect(StatusCodeType.allCases.count == 7)
        #expect(URLError.Code.cancelled.rawValue.statusCodeType == .cancelled)
    }
}
