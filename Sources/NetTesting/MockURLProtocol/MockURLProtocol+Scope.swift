public import NetCore

extension MockURLProtocol {
    /// A handler for the sessions that are made with ``Scope/configuration``, and for no other.
    public static func scope(_ handler: @escaping Handler) -> Scope { Scope(handler) }

    /// The sessions of one test: their handler, and what it was asked. Keep it for as long as they send.
    public final class Scope: Sendable {
        let handler: Handler
        private let number: Int
        private let journal = Locked<[URLRequest]>([])

        private struct Registry: Sendable {
            /// Never given twice, so that a session that outlives its scope finds none, and not another test's.
            var lastNumber = 0
            var scopes: [Int: Weak] = [:]
        }

        private struct Weak: Sendable {
            weak var scope: Scope?
        }

        private static let registry = Locked(Registry())

        fileprivate init(_ handler: @escaping Handler) {
            self.handler = handler
            number = Self.registry.withLock { registry in
                registry.lastNumber += 1
                return registry.lastNumber
            }
            Self.registry.withLock { $0.scopes[number] = Weak(scope: self) }
        }

        deinit { Self.registry.withLock { $0.scopes[number] = nil } }

        /// A new configuration, ephemeral, whose sessions ask this scope. It may be changed, but keep its `protocolClasses`.
        public var configuration: URLSessionConfiguration {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [ScopedProtocols.makeClass(number)]
            configuration.urlCache = nil
            return configuration
        }

        /// What was asked so far, in order, with the bodies in `httpBody`.
        public var requests: [URLRequest] { journal.withLock { $0 } }

        func record(_ request: URLRequest) { journal.withLock { $0.append(request) } }

        /// The scope of that number, if it still lives.
        static func find(_ number: Int) -> Scope? { registry.withLock { $0.scopes[number]?.scope } }
    }
}
