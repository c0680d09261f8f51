public import NetCore

extension MockURLProtocol {
    /// Returns a scope, whose handler answers the sessions made with ``Scope/configuration``.
    public static func scope(_ handler: @escaping Handler) -> Scope { Scope(handler) }

    /// The sessions of one test, with their handler and their requests. Keep it as long as the sessions send.
    public final class Scope: Sendable {
        let handler: Handler
        private let protocolClass: AnyClass
        private let journal = Locked<[URLRequest]>([])

        private struct WeakScope: Sendable {
            weak var scope: Scope?
        }

        /// Never reused, so that a session that outlives its scope does not find another test's.
        private static let lastNumber = Locked<UInt64>(0)
        private static let scopes = Locked<[ObjectIdentifier: WeakScope]>([:])

        fileprivate init(_ handler: @escaping Handler) {
            self.handler = handler
            protocolClass = ScopedProtocols.makeClass(Int(Self.lastNumber.next()))
            Self.scopes.withLock { $0[ObjectIdentifier(protocolClass)] = WeakScope(scope: self) }
        }

        deinit { Self.scopes.withLock { $0[ObjectIdentifier(protocolClass)] = nil } }

        /// A new ephemeral configuration for sessions of this scope. You may change it, but keep `protocolClasses`.
        public var configuration: URLSessionConfiguration {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [protocolClass]
            configuration.urlCache = nil
            return configuration
        }

        /// The requests so far, in order, with the bodies in `httpBody`.
        public var requests: [URLRequest] { journal.withLock { $0 } }

        func record(_ request: URLRequest) { journal.withLock { $0.append(request) } }

        /// Returns the scope with that protocol, or nil if it is gone.
        static func find(_ protocolClass: AnyClass) -> Scope? {
            scopes.withLock { $0[ObjectIdentifier(protocolClass)]?.scope }
        }
    }
}

/// The protocol of one scope. Each scope has its own type, since on every platform a `URLProtocol` knows only its type of the session that
/// made it: the fields of a configuration come later, and on Linux never.
private final class ScopedURLProtocol<Number>: MockURLProtocol {}

/// Makes types of numbers, whose binary digits are generic types.
private enum ScopedProtocols {
    private enum Zero<Rest> {}
    private enum One<Rest> {}

    /// Returns the protocol class of a scope. The first call makes it, and its kilobyte is never freed.
    static func makeClass(_ number: Int) -> AnyClass { makeClass(type(number)) }

    private static func type(_ number: Int) -> any Any.Type {
        number == 0 ? Void.self : digit(number.isMultiple(of: 2), behind: type(number / 2))
    }

    private static func digit<Rest>(_ isZero: Bool, behind rest: Rest.Type) -> any Any.Type {
        isZero ? Zero<Rest>.self : One<Rest>.self
    }

    private static func makeClass<Number>(_ number: Number.Type) -> AnyClass { ScopedURLProtocol<Number>.self }
}
