import NetCore

/// The protocol of one scope. A type of its own for each, since its type is all that a `URLProtocol` object knows of the session that made it on
/// every platform: the fields that a configuration adds come later, and on Linux never.
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
    /// The protocol class of a scope. It is made at the first call, and takes about a kilobyte for as long as the process lives.
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
