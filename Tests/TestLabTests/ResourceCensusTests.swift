import NetCore
import TestLab
import Testing

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
