import NetCore
import Testing

/// Errors as crash reporters see them.
@Suite struct BridgedErrorTests {
    @Test func codesAndDomainsOfNSError() {
        let causes = allErrors.map(\.error).filter { $0.statusCode == nil }
        #expect(causes.map { ($0 as NSError).code } == Array(1...18))
        #expect(causes.allSatisfy { ($0 as NSError).domain == "NetCore.NetworkError" })
        #expect((NetworkFailure.notFound() as NSError).code == 404)
        for error in causes + [NetworkFailure.notFound()] as [any LocalizedError] {
            #expect((error as any Error).localizedDescription == error.errorDescription)
        }
        // Their order is in `TransportErrorTests.codesAreStable`.
        let codes = TransportError.Code.allCases.map { TransportError($0, phase: .waiting, message: "") as NSError }
        #expect(codes.map(\.code) == Array(1...32) && codes.allSatisfy { $0.domain == "NetCore.TransportError" })
    }

    @Test func userInfoHasTheSystemsResumeData() {
        let key = "NSURLSessionDownloadTaskResumeData"
        var failure = NetworkFailure.cancelled()
        #expect((failure as NSError).userInfo[key] == nil)
        (failure.resumeData, failure.systemResumeData) = (Data("ours".utf8), Data("system".utf8))
        let wrapped = NetworkFailure(failure)
        #expect((wrapped as NSError).userInfo[key] as? Data == Data("system".utf8))
        #expect(wrapped.resumeData == Data("ours".utf8))
    }

    @Test func foreignErrorsKeepOnlyDomainAndCode() throws {
        let foreign = NSError(domain: "Plugin", code: 9, userInfo: ["secret": "word"])
        let bridged = NetworkFailure(foreign) as NSError
        let beneath = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "Plugin" && beneath.code == 9 && beneath.userInfo.isEmpty && bridged.code == 10)
    }
}
