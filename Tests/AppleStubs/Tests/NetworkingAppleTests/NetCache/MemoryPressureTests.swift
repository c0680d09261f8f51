import Dispatch
import NetCore
import Testing

@testable import NetCache

@Suite(.serialized, .timeLimit(.minutes(5)))
struct MemoryPressureTests {
    @Test func theSystemIsListenedTo() async throws {
        let (told, teller) = AsyncStream<MemoryPressure>.makeStream()
        let before = MemoryPressureDriver.countOfActiveSources
        let watch = MemoryPressureWatch()
        watch.start { teller.yield($0) }
        var news = told.makeAsyncIterator()
        MemoryPressureDriver.signal(.warning)
        #expect(await news.next() == .warning)
        MemoryPressureDriver.signal(.critical)
        // The system may say a thing twice.
        var heard = await news.next()
        while heard == .warning { heard = await news.next() }
        #expect(heard == .critical)
        watch.stop()
        #expect(MemoryPressureDriver.countOfActiveSources == before)
        teller.finish()
    }

    @Test func aCacheGivesItsMemoryBack() async throws {
        let cache = NetworkCache()
        let url = try #require(URL(string: "https://example.com/a"))
        cache.setResponse(Data("kept".utf8), for: url, expireTime: nil)
        MemoryPressureDriver.signal(.critical)
        // It is told on a queue.
        while cache.getResponse(for: url) != nil { await Task.yield() }
        #expect(cache.getResponse(for: url) == nil)
    }

    @Test func nobodyHasToBeAsked() {
        #expect(MemoryPressure.current == nil)
    }
}
