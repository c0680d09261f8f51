import TestLab
import Testing

@testable import NetSystem

@Suite struct WaiterListTests {
    private let mutex = AsyncMutex()

    @Test func mutexHasOneOwnerAtATime() async throws {
        let owners = Locked((now: 0, most: 0))
        _ = try await atOnce(50) { [mutex] _ in
            guard await mutex.lock() else { return }
            owners.withLock { owners in
                owners.now += 1
                owners.most = max(owners.most, owners.now)
            }
            await Task.yield()
            owners.withLock { $0.now -= 1 }
            mutex.unlock()
        }
        #expect(owners.withLock { $0.most } == 1)
        #expect(await mutex.lock())
    }

    @Test func cancelledTaskLeavesTheQueue() async {
        #expect(await mutex.lock())
        let waiting = Task { await mutex.lock() }
        waiting.cancel()
        #expect(await waiting.value == false)
        mutex.unlock()
        #expect(await mutex.lock())
    }

    @Test func cancelledTaskDoesNotTakeTheLock() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await mutex.lock()
        }
        task.cancel()
        #expect(await task.value == false)
        #expect(await mutex.lock())
    }

    @Test func servesInOrderOfArrival() async {
        let list = Locked(WaiterState())
        let order = Locked<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    _ = await list.wait(in: \.waiters, cancelled: -1) { _ in nil }
                    order.withLock { $0.append(number) }
                    list.withLock { $0.served += 1 }
                }
                while list.withLock({ $0.waiters.count }) <= number { await Task.yield() }
            }
            for count in 1...5 {
                list.withLock { $0.waiters.popFirst() }?.resume(returning: 0)
                while list.withLock({ $0.served }) < count { await Task.yield() }
            }
        }
        #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    private struct WaiterState {
        var waiters = WaiterList<Int>()
        var served = 0
    }

    @Test(arguments: [1, 2, 100, 1000]) func queueKeepsTheOrderInBoundedStorage(_ waiting: Int) {
        var queue = FIFO<Int>()
        for number in 0..<waiting { queue.append(number) }
        // The queue is never empty.
        for number in 0..<20_000 {
            queue.append(waiting + number)
            #expect(queue.popFirst() == number && queue.count == waiting)
            guard queue.elements.count <= 2 * waiting + 64 else {
                Issue.record("\(queue.elements.count) places for \(waiting) elements")
                return
            }
        }
        for number in 20_000..<(20_000 + waiting) { #expect(queue.popFirst() == number) }
        #expect(queue.popFirst() == nil && queue.elements.isEmpty)
    }

    @Test func queueRemovesWhatMatchesAndKeepsTheOrder() {
        var queue = FIFO<Int>()
        for number in 0..<10 { queue.append(number) }
        #expect(queue.popFirst() == 0)
        queue.removeAll { $0.isMultiple(of: 2) }
        #expect(queue.all == [1, 3, 5, 7, 9] && queue.first == 1 && queue.count == 5)
        queue.append(10)
        #expect(queue.popFirst() == 1 && queue.all == [3, 5, 7, 9, 10])
    }
}
