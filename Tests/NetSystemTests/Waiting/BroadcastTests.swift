import NetSystem
import Testing

@Suite struct BroadcastTests {
    @Test func eachListenerGetsWhatIsSentAfterItCame() async {
        let broadcast = Broadcast<Int>()
        let first = broadcast.stream(bufferingNewest: 10)
        broadcast.send(1)
        let second = broadcast.stream(bufferingNewest: 10)
        broadcast.send(2)
        broadcast.finish()
        #expect(await Array(first) == [1, 2])
        #expect(await Array(second) == [2])
    }

    @Test func slowListenerLosesTheOldestValues() async {
        let broadcast = Broadcast<Int>()
        let stream = broadcast.stream(bufferingNewest: 2)
        for number in 1...5 { broadcast.send(number) }
        broadcast.finish()
        #expect(await Array(stream) == [4, 5])
    }

    @Test func streamEndsWithItsBroadcast() async {
        var broadcast: Broadcast<Int>? = Broadcast()
        let stream = broadcast?.stream(bufferingNewest: 1)
        broadcast?.finish()
        #expect(await broadcast?.stream(bufferingNewest: 1).first { _ in true } == nil)
        broadcast = nil
        #expect(await stream?.first { _ in true } == nil)
    }

    @Test func cancelledListenerIsRemoved() async {
        let broadcast = Broadcast<Int>()
        let task = Task { for await _ in broadcast.stream(bufferingNewest: 1) {} }
        while broadcast.isEmpty { await Task.yield() }
        task.cancel()
        while !broadcast.isEmpty { await Task.yield() }
        await task.value
    }
}

extension Array {
    fileprivate init(_ stream: AsyncStream<Element>) async {
        self.init()
        for await element in stream { append(element) }
    }
}
