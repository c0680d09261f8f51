import AppleLiberties
public import Dispatch
import Foundation

/// https://developer.apple.com/documentation/network/nwinterface
public struct NWInterface: Hashable, Sendable {
    /// https://developer.apple.com/documentation/network/nwinterface/interfacetype
    public enum InterfaceType: Hashable, Sendable { case other, wifi, cellular, wiredEthernet, loopback }

    public let type: InterfaceType
}

/// https://developer.apple.com/documentation/network/nwpath
public struct NWPath: Hashable, Sendable {
    /// https://developer.apple.com/documentation/network/nwpath/status-swift.enum
    public enum Status: Hashable, Sendable { case satisfied, unsatisfied, requiresConnection }

    public let status: Status
    public let availableInterfaces: [NWInterface]
    public let isExpensive: Bool
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public let isConstrained: Bool
    @available(macOS 26.0, iOS 26.0, watchOS 26.0, tvOS 26.0, visionOS 26.0, *)
    public var isUltraConstrained: Bool { hasLittleBandwidth }
    private let hasLittleBandwidth: Bool

    /// Not in Apple's API: tests make paths.
    public init(
        status: Status, interfaces: [NWInterface.InterfaceType] = [], isExpensive: Bool = false,
        isConstrained: Bool = false, isUltraConstrained: Bool = false
    ) {
        (self.status, availableInterfaces) = (status, interfaces.map { NWInterface(type: $0) })
        (self.isExpensive, self.isConstrained) = (isExpensive, isConstrained)
        hasLittleBandwidth = isUltraConstrained
    }

    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        availableInterfaces.contains { $0.type == type }
    }
}

/// https://developer.apple.com/documentation/network/nwpathmonitor
///
/// Tells its first path some time after ``start(queue:)``, then each that differs. By a liberty: the first one comes late, or says
/// "unsatisfied" until the next; each comes twice; one that was under way comes after ``cancel()``. On ``FakeSystem/watchOS`` every path is
/// unsatisfied.
public final class NWPathMonitor: @unchecked Sendable {
    private let lock = NSLock()
    private var handler: (@Sendable (NWPath) -> Void)?
    private var queue: DispatchQueue?
    private var isCancelled = false
    private var last: NWPath?
    private var isBlocked = false
    private let required: NWInterface.InterfaceType?
    private let prohibited: [NWInterface.InterfaceType]

    public init() { (required, prohibited) = (nil, []) }

    public init(requiredInterfaceType: NWInterface.InterfaceType) {
        (required, prohibited) = (requiredInterfaceType, [])
    }

    @available(macOS 11.0, iOS 14.0, watchOS 7.0, tvOS 14.0, *)
    public init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
        (required, prohibited) = (nil, prohibitedInterfaceTypes)
    }

    public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { lock.withLock { handler } }
        set { lock.withLock { handler = newValue } }
    }

    public func start(queue: DispatchQueue) {
        let isFirst = lock.withLock {
            guard self.queue == nil, !isCancelled else { return false }
            self.queue = queue
            isBlocked = !FakeSystem.current.allowsLowLevelNetworking
            return true
        }
        guard isFirst else { return }
        FakePaths.add(self)
    }

    public func cancel() {
        lock.withLock { isCancelled = true }
        FakePaths.remove(self)
    }

    /// The path over the interfaces that this monitor looks at.
    private func seen(_ path: NWPath) -> NWPath {
        let types = path.availableInterfaces.map(\.type)
        let left = types.filter { (required == nil || $0 == required) && !prohibited.contains($0) }
        guard left != types else { return path }
        return NWPath(
            status: left.isEmpty ? .unsatisfied : path.status, interfaces: left, isExpensive: path.isExpensive,
            isConstrained: path.isConstrained, isUltraConstrained: path.isUltraConstrained)
    }

    private enum First: CaseIterable { case soon, late, stale }

    fileprivate func tellFirst() {
        let first = Liberties.pick("NWPathMonitor.first", First.allCases)
        if first == .soon { return tell(FakePaths.current) }
        if first == .stale { tell(NWPath(status: .unsatisfied)) }
        lock.withLock { queue }?.asyncAfter(deadline: .now() + .milliseconds(3)) { [self] in tell(FakePaths.current) }
    }

    fileprivate func tell(_ path: NWPath) {
        let path = lock.withLock { isBlocked } ? NWPath(status: .unsatisfied) : seen(path)
        let underWay = Liberties.takes("NWPathMonitor.afterCancel", oncePer: 4) ? pathUpdateHandler : nil
        let times = Liberties.pick("NWPathMonitor.times", [1, 1, 2])
        lock.withLock { queue }?.async { [self] in
            let listener: (@Sendable (NWPath) -> Void)? = lock.withLock {
                if isCancelled { return underWay }
                guard last != path else { return nil }
                last = path
                return handler
            }
            for _ in 0..<times { listener?(path) }
        }
    }
}

/// The network of this "device", for tests to change.
public enum FakePaths {
    private static let lock = NSLock()
    private nonisolated(unsafe) static var path = NWPath(status: .satisfied, interfaces: [.wifi])
    private nonisolated(unsafe) static var monitors: [NWPathMonitor] = []
    private nonisolated(unsafe) static var starts = 0
    public static var current: NWPath { lock.withLock { path } }

    /// How many monitors were ever started.
    public static var startCount: Int { lock.withLock { starts } }

    /// The monitor that was started last and not cancelled.
    public static var newest: NWPathMonitor? { lock.withLock { monitors.last } }

    /// Whether the monitor was started and not cancelled.
    public static func isWatching(_ monitor: NWPathMonitor) -> Bool {
        lock.withLock { monitors.contains { $0 === monitor } }
    }

    public static func change(to new: NWPath) {
        let all = lock.withLock {
            path = new
            return monitors
        }
        all.forEach { $0.tell(new) }
    }

    static func add(_ monitor: NWPathMonitor) {
        lock.withLock {
            monitors.append(monitor)
            starts += 1
        }
        monitor.tellFirst()
    }

    static func remove(_ monitor: NWPathMonitor) { lock.withLock { monitors.removeAll { $0 === monitor } } }
}
