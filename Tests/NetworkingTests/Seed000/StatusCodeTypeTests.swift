import NetTesting
import Networking
import Testing

/// Seed 000, chapter StatusCodeType.
@Suite struct StatusCodeTypeChapterTests {
    /// Section 1, Cheat-Sheet: the edges of each bucket.
    @Test(arguments: [
        (99, StatusCodeType.unknown), (100, .informational), (199, .informational), (200, .successful),
        (299, .successful), (300, .redirection), (399, .redirection), (400, .clientError), (499, .clientError),
        (500, .serverError), (599, .serverError), (600, .unknown), (-999, .cancelled), (0, .unknown),
    ]) func cheatSheet(code: Int, type: StatusCodeType) { #expect(code.statusCodeType == type) }

    /// Section 2, Usage.
    @Test(arguments: [
        (204, "success"), (422, "alert: Check your input"), (503, "back-off"), (304, "log: Unrecognised code: 304"),
    ]) func usage(status: Int, expected: String) async throws {
        let server = try MockServer { _ in .status(status) }
        let response: NetworkResponse<Void> = await Networking().request(RequestConfig(url: server.url("/")))
        let httpResponse = try #require(response.response as? HTTPURLResponse)
        await server.stop()

        let print = Transcript()
        func handleSuccess() { print("success") }
        func showAlert(_ text: String) { print("alert:", text) }
        func retryWithExponentialBackoff() { print("back-off") }
        func log(_ text: String) { print("log:", text) }

        let responseCode = httpResponse.statusCode

        switch responseCode.statusCodeType {
        case .successful:
            handleSuccess()
        case .clientError:
            showAlert("Check your input")
        case .serverError:
            retryWithExponentialBackoff()
        case .cancelled:
            print("User cancelled")
        default:
            log("Unrecognised code: \(responseCode)")
        }
        #expect(print.texts == [expected])
    }
}
