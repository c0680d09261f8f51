#if os(Linux)
    import NetTesting
    import TestLab
    import Testing

    /// A program may call `exit` while the threads of its clients are in OpenSSL.
    ///
    /// `EXIT_RUNS` sets the number of runs.
    @Suite(.timeLimit(.minutes(10)), .requires(.openssl)) struct ExitTests {
        private static let runs =
            ProcessInfo.processInfo.environment["EXIT_RUNS"].flatMap { Int($0) } ?? Volume.pick(quick: 15, full: 100)

        private let server: MockServer
        private let directory: TemporaryDirectory

        init() async throws {
            let certificate = try await MockCertificate.shared
            directory = try TemporaryDirectory()
            try certificate.authority.write(to: directory.file("authority.pem"))
            server = try MockServer(certificate: certificate)
            server.on("/kept", .text("kept"))
            server.on("/closed", MockResponse.text("closed").header("Connection", "close"))
        }

        @Test func exitDuringRequestsKeepsTheExitStatus() async throws {
            _ = try await atOnce(3) { [self] _ in
                for _ in 0..<Self.runs / 3 {
                    let process = try start("exit")
                    #expect(try await waitUntil("the program has ended") { process.termination } == .exited(42))
                    // Its exit handler ran, and its output was written.
                    #expect(process.output == "ready\nhandler\nbuffered\n")
                }
            }
            await server.stop()
        }

        @Test(arguments: [("handler", Termination.exited(43)), ("wait", .signalled(SIGTERM))])
        func signalDuringRequestsEndsTheProgram(_ mode: String, _ termination: Termination) async throws {
            for _ in 0..<Volume.pick(quick: 3, full: 20) {
                let process = try start(mode)
                _ = try await waitUntil("the program is at work") {
                    process.termination != nil || process.output.contains("ready") ? true : nil
                }
                process.send(signal: SIGTERM)
                #expect(try await waitUntil("the program has ended") { process.termination } == termination)
                #expect(process.output == (mode == "handler" ? "ready\nhandler\nbuffered\n" : "ready\n"))
            }
            await server.stop()
        }

        private func start(_ mode: String) throws -> BackgroundProcess {
            try BackgroundProcess(
                Executable.beside("exit-worker"),
                [server.url.absoluteString, directory.file("authority.pem").path, mode])
        }
    }
#endif
