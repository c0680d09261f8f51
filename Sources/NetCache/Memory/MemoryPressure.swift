import NetCore

/// How short of memory the system is.
public enum MemoryPressure: Hashable, Sendable, CaseIterable {
    /// It would be good to use less.
    case warning
    /// Programs are about to be ended.
    case critical
}

#if canImport(Darwin)
    import Dispatch

    /// Listens to what the system says of memory.
    final class MemoryPressureWatch: Sendable {
        private let source = Locked<(any DispatchSourceMemoryPressure)?>(nil)

        func start(_ handler: @escaping @Sendable (MemoryPressure) -> Void) {
            let events = DispatchSource.makeMemoryPressureSource(
                eventMask: [.warning, .critical], queue: .global(qos: .utility))
            events.setEventHandler { [weak events] in
                handler(events?.data.contains(.critical) == true ? .critical : .warning)
            }
            events.activate()
            source.withLock { $0 = events }
        }

        func stop() {
            source.withLock { source in
                source?.cancel()
                source = nil
            }
        }
    }

    extension MemoryPressure {
        /// Nil: the system tells by itself.
        static var current: MemoryPressure? { nil }
    }
#else
    /// There is nobody to listen to: ``MemoryPressure/current`` is asked instead.
    struct MemoryPressureWatch {
        func start(_ handler: @escaping @Sendable (MemoryPressure) -> Void) {}
        func stop() {}
    }

    extension MemoryPressure {
        /// What the kernel says (Linux, "pressure stall information"); nil if all is well, or if it does not say.
        static var current: MemoryPressure? {
            guard let data = FileManager.default.contents(atPath: "/proc/pressure/memory") else { return nil }
            return MemoryPressure(stallInformation: String(decoding: data, as: UTF8.self))
        }
    }
#endif

extension MemoryPressure {
    /// Of the last ten seconds, the percentage in which some tasks, and in which all of them, waited for memory:
    /// `some avg10=0.00 avg60=…`, `full avg10=0.00 …`.
    init?(stallInformation text: String) {
        func share(_ kind: String) -> Double {
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.first.map(String.init) == kind else { continue }
                let average = words.first { $0.hasPrefix("avg10=") }
                return average.flatMap { Double($0.dropFirst("avg10=".count)) } ?? 0
            }
            return 0
        }
        if share("full") >= 20 {
            self = .critical
        } else if share("some") >= 20 {
            self = .warning
        } else {
            return nil
        }
    }
}
