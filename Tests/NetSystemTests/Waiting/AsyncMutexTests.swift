import Testing

@testable import NetSystem

struct AsyncMutexTests {
    private let mutex = AsyncMutex()

    @Test func hasOneOwnerAtATime() async {
        let owners = Locked((now: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    guard await mutex.lock() else { return }
                    owners.withLock { owners in
                        owners.now += 1
                        owners.most = max(owners.most, owners.now)
                    }
                    await Task.yield()
                    owners.withLock { $0.now -= 1 }
                    mutex.unlock()
                }
            }
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
}
