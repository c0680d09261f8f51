import AppleLiberties
public import Dispatch

/// https://developer.apple.com/documentation/dispatch/dispatchsourcememorypressure
public protocol DispatchSourceMemoryPressure: AnyObject, DispatchSourceProtocol {
    var data: DispatchSource.MemoryPressureEvent { get }
    var mask: DispatchSource.MemoryPressureEvent { get }

    // The methods of `DispatchSourceProtocol` that Dispatch here casts to its own class, and so have to be asked of this one.
    func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
    func activate()
    func cancel()
}

extension DispatchSourceMemoryPressure {
    public func setEventHandler(handler: DispatchSourceHandler?) {
        setEventHandler(qos: .unspecified, flags: [], handler: handler)
    }
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

    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure { MemoryPressureSource(eventMask, queue) }
}

/// Harness only: the system, as far as its memory goes.
public enum MemoryPressureDriver {
    /// Tells all sources that are active and want to hear of it.
    public static func signal(_ event: DispatchSource.MemoryPressureEvent) {
        MemoryPressureSource.live.all.forEach { $0.signal(event) }
    }
}

/// On a source that is merged by hand.
private final class MemoryPressureSource: DispatchSourceMemoryPressure, @unchecked Sendable {
    static let live = Registry<MemoryPressureSource>()
    let mask: DispatchSource.MemoryPressureEvent
    private let base: any DispatchSourceUserDataOr

    init(_ mask: DispatchSource.MemoryPressureEvent, _ queue: DispatchQueue?) {
        self.mask = mask
        base = DispatchSource.makeUserDataOrSource(queue: queue)
    }

    func signal(_ event: DispatchSource.MemoryPressureEvent) {
        let wanted = event.intersection(mask)
        guard !wanted.isEmpty else { return }
        // Twice, or late: the system tells when it likes.
        for _ in 0..<Liberties.pick("memory.times", [1, 1, 2]) {
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Liberties.delay("memory.delay"))) {
                self.base.or(data: wanted.rawValue)
            }
        }
    }

    var data: DispatchSource.MemoryPressureEvent { DispatchSource.MemoryPressureEvent(rawValue: base.data) }

    func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?) {
        base.setEventHandler(qos: qos, flags: flags, handler: handler)
    }

    func setEventHandler(handler: DispatchWorkItem) { base.setEventHandler(handler: handler) }

    func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?) {
        base.setCancelHandler(qos: qos, flags: flags, handler: handler)
    }

    func setCancelHandler(handler: DispatchWorkItem) { base.setCancelHandler(handler: handler) }

    func setRegistrationHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?) {
        base.setRegistrationHandler(qos: qos, flags: flags, handler: handler)
    }

    func setRegistrationHandler(handler: DispatchWorkItem) { base.setRegistrationHandler(handler: handler) }

    func activate() {
        Self.live.add(self)
        base.activate()
    }

    func resume() {
        Self.live.add(self)
        base.resume()
    }

    func suspend() { base.suspend() }

    func cancel() {
        Self.live.remove(self)
        base.cancel()
    }

    var isCancelled: Bool { base.isCancelled }
}
