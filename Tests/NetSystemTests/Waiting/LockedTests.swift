import NetSystem
import Testing

@Suite struct LockedTests {
    @Test func oneAtATime() async {
        let counter = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<5_000 {
                        counter.withLock { value in
                            let read = value
                            // A reader in between would write the same number twice.
                            if read % 500 == 0 { sched_yield() }
                            value = read + 1
                        }
                    }
                }
            }
        }
        #expect(counter.withLock { $0 } == 40_000)
    }

    @Test func countsEachNumberOnce() async {
        let counter = Locked(UInt64(0))
        let numbers = await withTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<8 { group.addTask { (0..<1_000).map { _ in counter.next() } } }
            return await group.reduce(into: [UInt64]()) { $0 += $1 }
        }
        #expect(numbers.sorted() == Array(1...8_000))
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
