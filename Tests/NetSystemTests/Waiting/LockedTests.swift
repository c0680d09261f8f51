import NetSystem
import TestLab
import Testing

@Suite struct LockedTests {
    @Test func oneAtATime() async throws {
        let counter = Locked(0)
        _ = try await atOnce(8) { _ in
            for _ in 0..<5_000 {
                counter.withLock { value in
                    let read = value
                    // A reader in between would write the same number twice.
                    if read % 500 == 0 { sched_yield() }
                    value = read + 1
                }
            }
        }
        #expect(counter.withLock { $0 } == 40_000)
    }

    @Test func countsEachNumberOnce() async throws {
        let counter = Locked(UInt64(0))
        let numbers = try await atOnce(8) { _ in (0..<1_000).map { _ in counter.next() } }
        #expect(numbers.joined().sorted() == Array(1...8_000))
    }

    @Test func givesBackAndUnlocksAfterAnError() {
        struct Refusal: Error {}
        let locked = Locked("a")
        #expect(
            locked.withLock {
                $0.append("b"); return $0.count
            } == 2)
        // Typed: the compiler knows what is caught.
        do throws(Refusal) {
            try locked.withLock { (value: inout String) throws(Refusal) in
                value.append("c")
                throw Refusal()
            }
            Issue.record("The error is lost")
        } catch { #expect(locked.withLock { $0 } == "abc") }
    }

    @Test func holdsWhatCannotBeCopied() {
        struct Token: ~Copyable { var uses = 0 }
        let locked = Locked(Token())
        locked.withLock { $0.uses += 1 }
        #expect(locked.withLock { $0.uses } == 1)
    }
}

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
