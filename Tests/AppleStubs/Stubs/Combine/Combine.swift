public import Dispatch
// OpenCombine has the API of Combine.
@_exported public import OpenCombine

// In Apple's SDKs a queue is a scheduler: `.receive(on: DispatchQueue.main)`.

/// https://developer.apple.com/documentation/dispatch/dispatchqueue/schedulertimetype
extension DispatchQueue: @retroactive Scheduler {
    public struct SchedulerTimeType: Strideable, Hashable, Sendable {
        public var dispatchTime: DispatchTime

        public init(_ time: DispatchTime) { dispatchTime = time }

        public func distance(to other: Self) -> Stride {
            let (from, to) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
            return .nanoseconds(Int(clamping: Int64(clamping: to) - Int64(clamping: from)))
        }

        public func advanced(by stride: Stride) -> Self {
            SchedulerTimeType(dispatchTime + .nanoseconds(stride.magnitude))
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.rawValue) }

        /// In nanoseconds.
        public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Hashable, Sendable {
            public var magnitude: Int

            public init(_ nanoseconds: Int) { magnitude = nanoseconds }
            public init(integerLiteral value: Int) { magnitude = value * 1_000_000_000 }

            public init?<Value: BinaryInteger>(exactly source: Value) {
                guard let value = Int(exactly: source) else { return nil }
                magnitude = value
            }

            public static func < (left: Self, right: Self) -> Bool { left.magnitude < right.magnitude }
            public static func + (left: Self, right: Self) -> Self { Stride(left.magnitude + right.magnitude) }
            public static func - (left: Self, right: Self) -> Self { Stride(left.magnitude - right.magnitude) }
            public static func * (left: Self, right: Self) -> Self { Stride(left.magnitude * right.magnitude) }
            public static func *= (left: inout Self, right: Self) { left.magnitude *= right.magnitude }
            public static func seconds(_ value: Int) -> Self { Stride(value * 1_000_000_000) }
            public static func seconds(_ value: Double) -> Self { Stride(Int(value * 1e9)) }
            public static func milliseconds(_ value: Int) -> Self { Stride(value * 1_000_000) }
            public static func microseconds(_ value: Int) -> Self { Stride(value * 1_000) }
            public static func nanoseconds(_ value: Int) -> Self { Stride(value) }
        }
    }

    public struct SchedulerOptions: Sendable { public init() {} }

    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }
    public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

    // Combine's actions are not `Sendable`, and run where they are told to.

    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        nonisolated(unsafe) let action = action
        async { action() }
    }

    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        nonisolated(unsafe) let action = action
        asyncAfter(deadline: date.dispatchTime) { action() }
    }

    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        nonisolated(unsafe) let action = action
        let timer = DispatchSource.makeTimerSource(queue: self)
        timer.schedule(deadline: date.dispatchTime, repeating: .nanoseconds(interval.magnitude))
        timer.setEventHandler { action() }
        timer.resume()
        return AnyCancellable { timer.cancel() }
    }
}
