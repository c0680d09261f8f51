import Testing

@testable import NetSystem

struct FIFOTests {
    @Test(arguments: [1, 2, 100, 1000])
    func keepsTheOrderInBoundedStorage(_ waiting: Int) {
        var queue = FIFO<Int>()
        for number in 0..<waiting { queue.append(number) }
        // The queue is never empty.
        for number in 0..<20_000 {
            queue.append(waiting + number)
            #expect(queue.popFirst() == number)
            #expect(queue.count == waiting)
            guard queue.elements.count <= 2 * waiting + 64 else {
                Issue.record("\(queue.elements.count) places for \(waiting) elements")
                return
            }
        }
        for number in 20_000..<(20_000 + waiting) { #expect(queue.popFirst() == number) }
        #expect(queue.popFirst() == nil)
        #expect(queue.elements.isEmpty)
    }
}
