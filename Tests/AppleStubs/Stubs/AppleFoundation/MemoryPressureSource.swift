import AppleLiberties
public import Dispatch

/// https://developer.apple.com/documentation/dispatch/dispatchsourcememorypressure
public protocol DispatchSourceMemoryPressure: AnyObject, DispatchSourceProtocol {
    var data: DispatchSource.MemoryPressureEvent { get }
    func activate()
}

extension DispatchSource {
    /// https://developer.apple.com/documentation/dispatch/dispatchsource/memorypressureevent
    public struct MemoryPressureEvent: OptionSet, RawRepresentable, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let normal = MemoryPressureEvent(rawValue: 0x01)
        public static let warning = MemoryPressureEvent(rawValue: 0x02)
        public static let critical = MemoryPressureEvent(rawValue: 0x04)
        public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
    }

    /// One that is merged by hand.
    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure {
        guard let source = makeUserDataOrSource(queue: queue) as? DispatchSource else {
            fatalError("AppleStubs: Dispatch has sources of another class")
        }
        MemoryPressureDriver.add(source, eventMask)
        return source
    }
}

extension DispatchSource: DispatchSourceMemoryPressure {
    public var data: MemoryPressureEvent {
        MemoryPressureEvent(rawValue: (self as any DispatchSourceUserDataOr).data)
    }
}

/// Harness only: the system, as far as its memory goes.
public enum MemoryPressureDriver {
    private static let lock = NSLock()
    private nonisolated(unsafe) static var sources: [(DispatchSource, DispatchSource.MemoryPressureEvent)] = []

    static func add(_ source: DispatchSource, _ mask: DispatchSource.MemoryPressureEvent) {
        lock.withLock { sources.append((source, mask)) }
    }

    /// Tells all sources that are not cancelled and want to hear of it.
    public static func signal(_ event: DispatchSource.MemoryPressureEvent) {
        let live = lock.withLock {
            sources.removeAll { $0.0.isCancelled }
            return sources
        }
        for (source, mask) in live where !event.isDisjoint(with: mask) {
            // Twice, or late: the system tells when it likes.
            for _ in 0..<Liberties.pick("memory.times", [1, 1, 2]) {
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Liberties.delay("memory.delay"))) {
                    (source as any DispatchSourceUserDataOr).or(data: event.intersection(mask).rawValue)
                }
            }
        }
    }
}
