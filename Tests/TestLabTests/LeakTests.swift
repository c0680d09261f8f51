import NetCore
import TestLab
import Testing

/// Each kind of leak is planted once, and found.
struct LeakCheckerTests {
    private final class Held: Sendable {}

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func findsDescriptorsAndThreads() async {
            await #expect(processExitsWith: .success) {
                // Two in each of ten rounds, since Dispatch and the test's runner may open or close one of their own meanwhile.
                let found = await #expect(throws: LeakFound.self) {
                    try await LeakChecker(timeout: 0.1).check {
                        for _ in 0..<2 {
                            _ = open("/dev/null", O_RDONLY)
                            Thread { while true { sleep(1000) } }.start()
                        }
                    }
                }
                #expect(found?.descriptors.count ?? 0 >= 20, "\(String(describing: found))")
                #if os(Linux)
                    #expect(found?.descriptors.count { $0.hasSuffix("/dev/null") } == 20)
                    #expect(found?.threads ?? 0 >= 15, "\(String(describing: found))")
                #endif
            }
        }
    #endif

    @Test func findsTasks() async throws {
        let (never, source) = AsyncStream<Void>.makeStream()
        let checker = LeakChecker(rounds: 3, of: [.tasks], timeout: 0.05)
        let found = await #expect(throws: LeakFound.self) {
            try await checker.check { Task { for await _ in never {} } }
        }
        #expect(found?.tasks == 3)
        source.finish()
    }

    /// They may take their time, as long as they end.
    @Test func passesTasksThatEnd() async throws {
        let (gate, source) = AsyncStream<Void>.makeStream()
        let opener = Task {
            try await Task.sleep(nanoseconds: 30_000_000)
            source.finish()
        }
        try await LeakChecker(rounds: 3, of: [.tasks]).check {
            Task { for await _ in gate {} }
            async let child: Void = {}()
            await child
        }
        try await opener.value
    }

    @Test func findsObjects() async throws {
        let keep = Locked<[Held]>([])
        let found = await #expect(throws: LeakFound.self) {
            try await LeakChecker(rounds: 2, of: [.objects], timeout: 0.05).check { watch in
                let (kept, released) = (Held(), Held())
                watch.track(kept)
                watch.track(released)
                keep.withLock { $0.append(kept) }
            }
        }
        #expect(found?.objects == ["Held", "Held"])
        #expect(found?.description == "Left after 2 rounds: objects (Held, Held).")
    }

    @Test func throwsTheErrorOfTheOperation() async {
        await #expect(throws: CocoaError.self) { try await LeakChecker().check { throw CocoaError(.fileNoSuchFile) } }
    }
}

/// In processes of their own, since other tests open and close descriptors all the time.
@Suite struct ResourceCensusTests {
    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func seesADescriptor() async {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                let before = ResourceCensus()
                #expect(before.growth(since: before).hasSuffix("new: none"))
                let descriptor = open("/dev/null", O_RDONLY)
                let after = ResourceCensus()
                #if os(Linux)
                    #expect(after.growth(since: before).hasSuffix("new: \(descriptor) → /dev/null"))
                #endif
                #expect(after.descriptors[descriptor] != nil)
                close(descriptor)
                let end = ResourceCensus()
                #expect(end.descriptors[descriptor] == nil && end.growth(since: before).hasSuffix("new: none"))
            }
        }
    #endif

    #if os(Linux)
        @Test(.ownProcess) func seesAThread() async {
            await #expect(processExitsWith: .success) {
                let before = try #require(ResourceCensus().threads)
                let end = DispatchSemaphore(value: 0)
                let thread = Thread { end.wait() }
                thread.start()
                _ = try await waitUntil("the thread is there") {
                    ResourceCensus().threads.flatMap { $0 > before ? $0 : nil }
                }
                end.signal()
            }
        }

        @Test(.ownProcess) func seesMemory() async {
            await #expect(processExitsWith: .success) {
                let before = try #require(ResourceCensus().residentKiB)
                let block = [UInt8](repeating: 1, count: 64 * 1024 * 1024)
                let after = ResourceCensus()
                #expect(try #require(after.residentKiB) > before + 60 * 1024, "\(after)")
                #expect(try #require(after.peakResidentKiB) > before + 60 * 1024)
                #expect(block.count > 0)
            }
        }
    #endif
}
