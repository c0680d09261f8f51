/// How short of memory the system is.
package enum MemoryPressure: Hashable, Sendable {
    /// Programs should use less memory.
    case warning
    /// The system is about to end programs.
    case critical
}

#if canImport(Darwin)
    import Dispatch

    /// Listens to the system's reports of memory pressure.
    package final class MemoryPressureWatch: Sendable {
        private let source = Locked<(any DispatchSourceMemoryPressure)?>(nil)

        package init() {}

        package func start(_ handler: @escaping @Sendable (MemoryPressure) -> Void) {
            let events = DispatchSource.makeMemoryPressureSource(
                eventMask: [.warning, .critical], queue: .global(qos: .utility))
            events.setEventHandler { [weak events] in
                handler(events?.data.contains(.critical) == true ? .critical : .warning)
            }
            events.activate()
            source.withLock { $0 = events }
        }

        package func stop() {
            source.withLock { source in
                source?.cancel()
                source = nil
            }
        }
    }

    extension MemoryPressure {
        /// Nil: the system reports to ``MemoryPressureWatch``.
        package static var current: MemoryPressure? { nil }
    }
#else
    /// A watch that never reports: this kernel does not notify processes. Use ``MemoryPressure/current``.
    package struct MemoryPressureWatch: Sendable {
        package init() {}
        package func start(_ handler: @escaping @Sendable (MemoryPressure) -> Void) {}
        package func stop() {}
    }

    extension MemoryPressure {
        /// The pressure in the kernel's pressure stall information (Linux). Nil for none, or if the kernel has no such file.
        package static var current: MemoryPressure? {
            guard let data = FileManager.default.contents(atPath: "/proc/pressure/memory") else { return nil }
            return MemoryPressure(stallInformation: String(decoding: data, as: UTF8.self))
        }
    }
#endif

extension MemoryPressure {
    /// Reads the share of the last ten seconds, in percent, in which some tasks, or all of them, waited for memory:
    /// `some avg10=0.00 avg60=…`, `full avg10=0.00 …`.
    package init?(stallInformation text: String) {
        func share(_ kind: String) -> Double {
            let line = text.split(separator: "\n").first { $0.hasPrefix(kind + " ") }
            let average = line?.split(separator: " ").first { $0.hasPrefix("avg10=") }
            return average.flatMap { Double($0.dropFirst("avg10=".count)) } ?? 0
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
