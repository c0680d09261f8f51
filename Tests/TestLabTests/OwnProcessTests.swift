#if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
    import NetCore
    import TestLab
    import Testing

    @Suite struct OwnProcessTests {
        /// More processes than the system has cores end only when a task has run that needs one of the shared threads.
        @Test(.ownProcess) func waitingTestsBlockNoThread() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.url.path
            let count = ProcessInfo.processInfo.activeProcessorCount + 1
            async let others: Void = Task.detached {
                try await waitUntil("all have started") {
                    let names = try? FileManager.default.contentsOfDirectory(atPath: path)
                    return names?.count == count ? () : nil
                }
                try FileManager.default.removeItem(atPath: path)
            }.value
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        await #expect(processExitsWith: .success) { [path = path as String] in
                            try Data().write(to: URL(fileURLWithPath: "\(path)/\(getpid())"))
                            try await waitUntil("the others have gone on") {
                                FileManager.default.fileExists(atPath: path) ? nil : ()
                            }
                        }
                    }
                }
            }
            try await others
        }
    }
#endif
