import SwiftSyntaxMacros
import Testing

@testable import NetworkingMacrosPlugin

/// What a method of a protocol becomes in the client.
@Suite struct MethodExpansionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let source: String
        /// The method in the protocol, without the attributes of this package.
        let requirement: String
        let expansion: String

        init(_ name: String, _ source: String, requirement: String, _ expansion: String) {
            testDescription = name
            self.source = source
            self.requirement = requirement
            self.expansion = expansion
        }
    }

    @Test(arguments: cases) func method(_ method: Case) {
        let expansion = method.expansion.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        expectExpansion(
            "@API(mock: false)\nprotocol P {\n    \(method.source)\n}",
            """

            protocol P {
                \(method.requirement)
            }

            /// Sends the requests of ``P``.
            struct PClient: P, Sendable {
                private let client: any NetworkClientProtocol

                /// - Parameter client: the client that sends the requests, with the base URL in its environment.
                init(_ client: any NetworkClientProtocol) {
                    self.client = client
                }

            \(expansion)
            }
            """)
    }
}
