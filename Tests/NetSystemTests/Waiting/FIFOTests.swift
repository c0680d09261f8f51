import Testing

@testable import NetSystem

struct FIFOTests {
    @Test(arguments: [1, 2, 100, 1000]) func keepsTheOrderInBoundedStorage(_ waiting: Int) {
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

    @Test func removesWhatMatchesAndKeepsTheOrder() {
        var queue = FIFO<Int>()
        for number in 0..<10 { queue.append(number) }
        #expect(queue.popFirst() == 0)
        queue.removeAll { $0.isMultiple(of: 2) }
        #expect(queue.all == [1, 3, 5, 7, 9] && queue.first == 1 && queue.count == 5)
        queue.append(10)
        #expect(queue.popFirst() == 1 && queue.all == [3, 5, 7, 9, 10])
    }
}
