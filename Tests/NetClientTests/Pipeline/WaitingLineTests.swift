import TestLab
import Testing

@testable import NetClient

@Suite struct WaitingLineTests {
    /// The model searches a list.
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func agreesWithAModel(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        var line = WaitingLine<UInt64>()
        var model: [(id: UInt64, priority: RequestContext.Priority)] = []
        var overtakings = 0
        var lastID: UInt64 = 0
        for _ in 0..<5_000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                lastID += 1
                let priority = RequestContext.Priority.allCases.randomElement(using: &generator) ?? .normal
                #expect(line.count(before: priority) == model.count { $0.priority >= priority })
                line.append(lastID, id: lastID, priority: priority)
                model.append((lastID, priority))
            case 5..<7:
                let id = UInt64.random(in: 0...lastID, using: &generator)
                let expected = model.firstIndex { $0.id == id }.map { model.remove(at: $0).id }
                let removed = line.remove(id)
                #expect(removed == expected)
            default:
                var index = model.indices.max { (model[$0].priority, $1) < (model[$1].priority, $0) }
                if let found = index, found > 0 {
                    overtakings += 1
                    if overtakings > WaitingLine<UInt64>.overtakingLimit { index = 0 }
                }
                if index == 0 { overtakings = 0 }
                let expected = index.map { model.remove(at: $0).id }
                let popped = line.popNext()
                #expect(popped == expected)
            }
            #expect(line.count == model.count && line.isEmpty == model.isEmpty)
        }
    }

    @Test func removedWaitersAreFreed() {
        var line = WaitingLine<UInt64>()
        line.append(0, id: 0, priority: .low)
        for id in 1...100_000 as ClosedRange<UInt64> {
            line.append(id, id: id, priority: .low)
            if line.remove(id) != id { Issue.record("\(id) was not there") }
        }
        #expect(line.count == 1)
        let popped = [line.popNext(), line.popNext()]
        #expect(popped == [0, nil])
    }
}
