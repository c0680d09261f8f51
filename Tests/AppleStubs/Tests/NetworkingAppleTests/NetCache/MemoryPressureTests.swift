import Dispatch
import NetCore
import Testing

@testable import NetCache

@Suite(.serialized, .timeLimit(.minutes(5)))
struct MemoryPressureTests {
    /// Counts what a watch says.
    private final class Listener: Sendable {
        private let watch = MemoryPressureWatch()
        private let heard = Locked<[MemoryPressure]>([])

        init() { watch.start { [heard] pressure in heard.withLock { $0.append(pressure) } } }
        var count: Int { heard.withLock(\.count) }
        func stop() { watch.stop() }

        func hears(_ pressure: MemoryPressure) async {
            while !heard.withLock({ $0.contains(pressure) }), !Task.isCancelled { await Task.yield() }
        }
    }

    @Test func memoryPressureEventsArrive() async throws {
        let listener = Listener()
        MemoryPressureDriver.signal(.warning)
        await listener.hears(.warning)
        MemoryPressureDriver.signal(.critical)
        await listener.hears(.critical)
        listener.stop()
        // Whatever was under way has come by the time when another one has heard something.
        let probe = Listener()
        MemoryPressureDriver.signal(.warning)
        await probe.hears(.warning)
        let count = listener.count
        for _ in 0..<3 {
            let probe = Listener()
            MemoryPressureDriver.signal(.critical)
            await probe.hears(.critical)
            probe.stop()
        }
        #expect(listener.count == count)
        probe.stop()
    }

    @Test func memoryPressureEmptiesTheCache() async throws {
        let cache = NetworkCache()
        let url = try #require(URL(string: "https://example.com/a"))
        cache.setResponse(Data("kept".utf8), for: url, expireTime: nil)
        MemoryPressureDriver.signal(.critical)
        // It is told on a queue.
        while cache.getResponse(for: url) != nil { await Task.yield() }
        #expect(cache.getResponse(for: url) == nil)
    }

    @Test func currentPressureIsNilWithoutAnEvent() { #expect(MemoryPressure.current == nil) }
}
