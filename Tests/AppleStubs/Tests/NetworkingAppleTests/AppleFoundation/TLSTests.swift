import AppleFoundation
import NetCore
import Security
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct TLSTests {
    private func load(
        _ url: URL,
        _ answer:
            @escaping @Sendable (URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
    ) async -> SessionRecorder {
        var answers = SessionRecorder.Answers()
        answers.challenge = answer
        let recorder = SessionRecorder(answers)
        let session = URLSession(recorder)
        session.dataTask(with: url.appendingPathComponent("small")).resume()
        await recorder.ended()
        session.invalidateAndCancel()
        return recorder
    }

    private func trusting(
        _ anchor: Data
    ) -> @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        { challenge in
            guard let trust = challenge.protectionSpace.serverTrust,
                let root = SecCertificateCreateWithData(nil, anchor as CFData),
                SecTrustSetAnchorCertificates(trust, [root]) == errSecSuccess, SecTrustEvaluateWithError(trust, nil)
            else { return (.cancelAuthenticationChallenge, nil) }
            return (.useCredential, URLCredential(trust: trust))
        }
    }

    @Test func theDelegateTrusts() async throws {
        let server = try await NginxServer()
        let recorder = await load(server.http2URL, trusting(try await TestCertificates.shared.ca.der))
        #expect(recorder.calls.starts(with: ["challenge ServerTrust localhost", "response 200"]))
        #expect(recorder.notes.withLock(\.transactions).last?.networkProtocolName == "h2")
        #expect(recorder.notes.withLock(\.transactions).last?.secureConnectionEndDate != nil)
    }

    @Test func theDelegateRefuses() async throws {
        let server = try await NginxServer()
        let recorder = await load(server.httpsURL, trusting(try await TestCertificates.shared.otherCA.der))
        #expect((recorder.notes.withLock(\.error) as? URLError)?.code == .cancelled)
    }

    @Test func byDefaultTheSystemJudges() async throws {
        let server = try await NginxServer()
        let recorder = await load(server.httpsURL) { _ in (.performDefaultHandling, nil) }
        #expect((recorder.notes.withLock(\.error) as? URLError)?.code == .serverCertificateUntrusted)
    }

    @Test func aClientShowsItsCertificate() async throws {
        let server = try await NginxServer()
        let certificates = try await TestCertificates.shared
        let archive = try Data(contentsOf: certificates.clientPKCS12)
        let judge = trusting(certificates.ca.der)
        let recorder = await load(server.mutualTLSURL) { challenge in
            guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
                return judge(challenge)
            }
            let identity = SecIdentity(archive: archive, password: certificates.clientPKCS12Password)
            return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
        }
        #expect(
            recorder.calls.starts(with: [
                "challenge ServerTrust localhost", "challenge ClientCertificate localhost",
                "response 200",
            ]))
        // Without one, nginx says so by HTTP.
        let without = await load(server.mutualTLSURL) { challenge in
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
                ? judge(challenge) : (.performDefaultHandling, nil)
        }
        #expect(without.calls.contains("response 400"))
    }
}
