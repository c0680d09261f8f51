public import NetCore

extension MockURLProtocol {
    /// Returns a scope, whose handler answers the sessions made with ``Scope/configuration``.
    public static func scope(_ handler: @escaping Handler) -> Scope { Scope(handler) }

    /// The sessions of one test, with their handler and their requests. Keep it as long as the sessions send.
    public final class Scope: Sendable {
        let handler: Handler
        private let number: Int
        private let journal = Locked<[URLRequest]>([])

        private struct Registry: Sendable {
            /// Never reused, so that a session that outlives its scope does not find another test's.
            var lastNumber = 0
            var scopes: [Int: WeakScope] = [:]
        }

        private struct WeakScope: Sendable {
            weak var scope: Scope?
        }

        private static let registry = Locked(Registry())

        fileprivate init(_ handler: @escaping Handler) {
            self.handler = handler
            number = Self.registry.withLock { registry in
                registry.lastNumber += 1
                return registry.lastNumber
            }
            Self.registry.withLock { $0.scopes[number] = WeakScope(scope: self) }
        }

        deinit { Self.registry.withLock { $0.scopes[number] = nil } }

        /// A new ephemeral configuration for sessions of this scope. You may change it, but keep `protocolClasses`.
        public var configuration: URLSessionConfiguration {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [ScopedProtocols.makeClass(number)]
            configuration.urlCache = nil
            return configuration
        }

        /// The requests so far, in order, with the bodies in `httpBody`.
        public var requests: [URLRequest] { journal.withLock { $0 } }

        func record(_ request: URLRequest) { journal.withLock { $0.append(request) } }

        /// Returns the scope with that number, or nil if it is gone.
        static func find(_ number: Int) -> Scope? { registry.withLock { $0.scopes[number]?.scope } }
    }
}

/// The protocol of one scope. Each scope has its own type, since on every platform a `URLProtocol` knows only its type of the session that
/// made it: the fields of a configuration come later, and on Linux never.
final class ScopedURLProtocol<Number: ScopeNumber>: MockURLProtocol {
    override var scopeNumber: Int { Number.value }
}

/// A number that is a type, digit by digit.
protocol ScopeNumber {
    static var value: Int { get }
}

private enum Start: ScopeNumber {
    static var value: Int { 0 }
}

private enum Zero<Rest: ScopeNumber>: ScopeNumber {
    static var value: Int { Rest.value &* 2 }
}

private enum One<Rest: ScopeNumber>: ScopeNumber {
    static var value: Int { Rest.value &* 2 &+ 1 }
}

enum ScopedProtocols {
    /// Returns the protocol class of a scope. The first call makes it, and its kilobyte is never freed.
    ///
    /// - Parameter number: 1 or more.
    static func makeClass(_ number: Int) -> AnyClass { makeClass(type(number)) }

    private static func type(_ number: Int) -> any ScopeNumber.Type {
        guard number > 0 else { return Start.self }
        let rest = type(number / 2)
        return number.isMultiple(of: 2) ? zero(rest) : one(rest)
    }

    private static func zero<Rest: ScopeNumber>(_ rest: Rest.Type) -> any ScopeNumber.Type { Zero<Rest>.self }

    private static func one<Rest: ScopeNumber>(_ rest: Rest.Type) -> any ScopeNumber.Type { One<Rest>.self }

    private static func makeClass<Number: ScopeNumber>(_ number: Number.Type) -> AnyClass {
        ScopedURLProtocol<Number>.self
    }
}
