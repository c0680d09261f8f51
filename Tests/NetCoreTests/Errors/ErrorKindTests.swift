import NetCore
import Testing

@Suite struct ErrorKindTests {
    @Test(arguments: [
        (204, ErrorKind.noContent), (401, .unauthorized), (403, .forbidden), (404, .notFound), (429, .rateLimited),
        (502, .badGateway), (503, .serviceUnavailable), (504, .gatewayTimeout),
        (500, .serverError(statusCode: 500)), (599, .serverError(statusCode: 599)),
        (400, .clientError(statusCode: 400)), (499, .clientError(statusCode: 499)),
        (100, .unexpectedStatus(statusCode: 100)), (302, .unexpectedStatus(statusCode: 302)),
        (600, .unexpectedStatus(statusCode: 600)), (-1, .unexpectedStatus(statusCode: -1)),
    ]) func kindOfAStatus(_ status: Int, kind: ErrorKind) {
        #expect(ErrorKind(statusCode: status) == kind)
        #expect(NetworkError.requestFailed(statusCode: status, data: nil).kind == kind)
    }

    @Test func kindOfEachCase() {
        let kinds: [ErrorKind] = [
            .invalidURL, .invalidRequest, .serverError(statusCode: 500), .decodingFailed, .noData, .downloadFailed,
            .uploadFailed, .noConnection, .timeout, .networkUnavailable, .unknown, .cancelled, .encodingFailed,
            .circuitOpen, .pinningFailed, .bodyNotReplayable, .responseTooLarge, .tooManyRedirects, .unsupported,
        ]
        #expect(allErrors.map(\.error.kind) == kinds)
    }

    /// Seed 003: a 204 where a body was needed has its own kind.
    @Test func noContentDiffersFromNoData() {
        let head = ResponseSnapshot(statusCode: 200, headers: HTTPHeaders())
        #expect(NetworkFailure(cause: .noData, response: head).kind == .noData)
        #expect(NetworkFailure(cause: .noData).kind == .noData && NetworkFailure.noContent().kind == .noContent)
    }
}
