#if os(Linux)
    import Foundation

    /// Measures the steps of calls by a clock that stands still while the process does.
    ///
    /// A thread advances the clock each 5 ms, by 50 ms at most: so a pause by a signal, and a time in which the system ran other programs, do
    /// not count as time that a call took.
    ///
    /// In every other 5 seconds only one caller is to call: what many callers do wakes a loop that has missed an event.
    final class SoakWatch: @unchecked Sendable {
        // Unchecked: the lock guards what is variable.

        /// What a call waits for.
        private struct Step {
            let call, what: String
            let since, limit: Double
            var isTold = false
        }

        private let lock = NSLock()
        private let limit: Double
        private var now = 0.0, pauses = 0.0, lastStates = -1.0
        private var steps: [Int: Step] = [:]
        private var longest: [String: Double] = [:]
        private var counts: [String: Int] = [:]
        private var late = 0, failures = 0

        init(limit: Double) { self.limit = limit }

        func start() {
            Thread.detachNewThread { [self] in
                var last = ProcessInfo.processInfo.systemUptime
                while true {
                    usleep(5000)
                    let time = ProcessInfo.processInfo.systemUptime
                    lock.withLock {
                        now += min(time - last, 0.05)
                        pauses += max(0, time - last - 0.05)
                        look()
                    }
                    last = time
                }
            }
        }

        /// Tells late steps while they last, and gives up on one that does not end.
        private func look() {
            for (caller, step) in steps where now - step.since > step.limit {
                if !step.isTold {
                    steps[caller]?.isTold = true
                    report("late", caller, step, now - step.since)
                    if now - lastStates > 1 {
                        lastStates = now
                        print(SoakProcess.states())
                    }
                    for (other, step) in steps where other != caller {
                        let time = Self.text(now - step.since)
                        print("    meanwhile caller \(other): \(step.call): \(step.what) for \(time)")
                    }
                }
                guard now - step.since > max(30, limit * 10) else { continue }
                report("stuck", caller, step, now - step.since)
                exit(1)
            }
        }

        private func report(_ word: String, _ caller: Int, _ step: Step, _ time: Double) {
            print("soak: \(word): caller \(caller): \(step.call): \(step.what) for \(Self.text(time))")
            fflush(nil)
        }

        private static func text(_ seconds: Double) -> String { String(format: "%.3f s", seconds) }

        /// Notes the step that a caller waits for now.
        func begin(_ caller: Int, _ call: String, _ what: String) {
            lock.withLock {
                // The callers of the time before may still be at it.
                let isAlone = isQuietNow && now.truncatingRemainder(dividingBy: 5) > 1
                steps[caller] = Step(call: call, what: what, since: now, limit: isAlone ? limit / 2 : limit)
            }
        }

        private var isQuietNow: Bool { Int(now / 5) % 2 == 1 }

        /// Whether only one caller is to call.
        var isQuiet: Bool { lock.withLock { isQuietNow } }

        func end(_ caller: Int) {
            lock.withLock {
                guard let step = steps.removeValue(forKey: caller) else { return }
                let time = now - step.since
                let name = String(step.call.prefix { $0 != "," }) + (step.limit < limit ? ", alone" : "")
                longest[name] = max(longest[name] ?? 0, time)
                guard time > step.limit else { return }
                late += 1
                report("ended late", caller, step, time)
            }
        }

        func count(_ call: String) { lock.withLock { counts[call, default: 0] += 1 } }

        func fail(_ call: String, _ error: any Error) {
            lock.withLock {
                failures += 1
                print("soak: failed: \(call): \(error)")
                fflush(nil)
            }
        }

        /// Prints the figures. Returns whether no step was late and no call failed.
        func report() -> Bool {
            lock.withLock {
                for (name, number) in counts.sorted(by: { $0.key < $1.key }) {
                    print(
                        "soak: \(name): \(number), the longest step \(Self.text(longest[name] ?? 0)), of a caller alone "
                            + Self.text(longest["\(name), alone"] ?? 0))
                }
                print(
                    "soak: \(counts.values.reduce(0, +)) calls in \(Self.text(now)), paused for \(Self.text(pauses)); "
                        + "\(late) steps were late, \(failures) calls failed")
                fflush(nil)
                return late == 0 && failures == 0
            }
        }
    }

    /// What the threads of this process and the server do, as the system knows it: to tell a stall of the engine from one of the machine.
    enum SoakProcess {
        /// A line for each thread of this process and for the server, whose process `SOAK_SERVER` names.
        static func states() -> String {
            var folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            folders = folders.map { "/proc/self/task/\($0)" }
            if let server = ProcessInfo.processInfo.environment["SOAK_SERVER"] { folders.append("/proc/\(server)") }
            return folders.compactMap { folder in
                guard let stat = text("\(folder)/stat"), let end = stat.lastIndex(of: ")") else { return nil }
                let name = stat[..<end].split(separator: "(").last ?? ""
                let fields = stat[end...].dropFirst(2).split(separator: " ")
                guard fields.count > 36 else { return nil }
                let place = text("\(folder)/wchan") ?? ""
                return
                    "    \(name): state \(fields[0]), ticks \(fields[11]) + \(fields[12]), core \(fields[36]), waits in \(place)"
            }.joined(separator: "\n")
        }

        private static func text(_ path: String) -> String? {
            guard let data = FileManager.default.contents(atPath: path) else { return nil }
            return String(decoding: data, as: UTF8.self)
        }
    }
#endif
