#if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
    internal import NetCore
    package import Testing

    extension Trait where Self == OwnProcessTrait {
        /// For a test with `#expect(processExitsWith:)`.
        ///
        /// Swift Testing waits for such a process in a blocking read, on one of the threads that all tests share; there is one for each core.
        /// So on a machine with two cores, two of these tests would stop all others while their processes run, and what has a short
        /// timeout would fail. With this trait the read has a thread of its own.
        package static var ownProcess: Self { OwnProcessTrait() }
    }

    package struct OwnProcessTrait: TestTrait, TestScoping {
        package func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            if #available(macOS 15, *) {
                try await withTaskExecutorPreference(ThreadForEachJob.shared) { try await function() }
            } else {
                try await function()
            }
        }
    }

    /// Such a test has few jobs: its process does the work.
    @available(macOS 15, *)
    private final class ThreadForEachJob: TaskExecutor {
        static let shared = ThreadForEachJob()

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
#endif
