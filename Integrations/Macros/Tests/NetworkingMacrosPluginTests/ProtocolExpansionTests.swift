import Testing

/// What a protocol becomes as a whole.
@Suite struct ProtocolExpansionTests {
    /// Expects a client with one method, `number`.
    func expectClient(
        _ attribute: String, _ head: String, of proto: String, access: String = "",
        path: String = #""number""#, steps: [String] = [], requirement: String = #"@GET("/number") "#,
        location: SourceLocation = #_sourceLocation
    ) {
        let kind = steps.isEmpty ? "let" : "var"
        let steps = steps.map { "\n        \($0)" }.joined()
        expectExpansion(
            "\(attribute)\n\(proto) {\n    \(requirement)func number() async throws -> Int\n}",
            """

            \(proto) {
                func number() async throws -> Int
            }

            /// Sends the requests of ``P``.
            \(head) {
                private let client: any NetworkClientProtocol

                /// - Parameter client: the client that sends the requests, with the base URL in its environment.
                \(access)init(_ client: any NetworkClientProtocol) {
                    self.client = client
                }

                \(access)func number() async throws -> Int {
                    \(kind) call = APICall<Int>(.get, [\(path)])\(steps)
                    return try await call.value(from: client)
                }
            }
            """, location: location)
    }

    @Test func accessLevels() {
        expectClient(
            "@API(mock: false)", "public struct PClient: P, Sendable", of: "public protocol P", access: "public ")
        expectClient(
            "@API(mock: false)", "package struct PClient: P, Sendable", of: "package protocol P", access: "package ")
        expectClient("@API(mock: false)", "fileprivate struct PClient: P, Sendable", of: "fileprivate protocol P")
        expectClient("@API(mock: false)", "internal struct PClient: P, Sendable", of: "internal protocol P")
    }

    @Test func isolationAndAvailability() {
        expectClient("@API(mock: false)", "nonisolated struct PClient: P, Sendable", of: "nonisolated protocol P")
        expectClient(
            "@API(mock: false)", "@MainActor @available(macOS 13, *) public struct PClient: P, Sendable",
            of: "@MainActor @available(macOS 13, *) public protocol P", access: "public ")
    }

    @Test func associatedTypes() {
        expectExpansion(
            """
            @API(mock: false)
            protocol P<Item>: Sendable {
                associatedtype Item: Codable & Sendable
                associatedtype Key where Key: LosslessStringConvertible, Key: Sendable
                @GET("/{key}") func item(key: Key) async throws -> Item
            }
            """,
            #"""

            protocol P<Item>: Sendable {
                associatedtype Item: Codable & Sendable
                associatedtype Key where Key: LosslessStringConvertible, Key: Sendable
                func item(key: Key) async throws -> Item
            }

            /// Sends the requests of ``P``.
            struct PClient<Item: Codable & Sendable, Key>: P, Sendable where Key: LosslessStringConvertible, Key: Sendable {
                private let client: any NetworkClientProtocol

                /// - Parameter client: the client that sends the requests, with the base URL in its environment.
                init(_ client: any NetworkClientProtocol) {
                    self.client = client
                }

                func item(key: Key) async throws -> Item {
                    let call = APICall<Item>(.get, ["\(`key`)"])
                    return try await call.value(from: client)
                }
            }
            """#)
    }

    @Test func basePathAndKeys() {
        expectClient(
            #"@API("/v1/a", mock: false)"#, "struct PClient: P, Sendable", of: "protocol P",
            path: #""v1", "a", "number""#)
        for (keys, name) in [("snakeCase", "page_size_id"), ("unchanged", "pageSizeID")] {
            expectExpansion(
                """
                @API(keys: .\(keys), mock: false)
                protocol P {
                    @GET("/") @Query("maxAge", for: "age") func all(pageSizeID: Query<Int>, age: Int) async throws
                }
                """,
                """

                protocol P {
                    func all(pageSizeID: Query<Int>, age: Int) async throws
                }

                /// Sends the requests of ``P``.
                struct PClient: P, Sendable {
                    private let client: any NetworkClientProtocol

                    /// - Parameter client: the client that sends the requests, with the base URL in its environment.
                    init(_ client: any NetworkClientProtocol) {
                        self.client = client
                    }

                    func all(pageSizeID: Int, age: Int) async throws {
                        var call = APICall<EmptyResponse>(.get, [])
                        call.query("\(name)", pageSizeID)
                        call.query("maxAge", age)
                        _ = try await call.value(from: client)
                    }
                }
                """)
        }
    }

    @Test func settingsOfTheProtocol() {
        expectClient(
            #"@API(mock: false) @Headers(["A": "1"]) @Timeout(5) @Cached @Authenticated(false)"#,
            "struct PClient: P, Sendable", of: "protocol P",
            steps: [
                #"call.headers(["A": "1"])"#, #"call.headers(["A": "2"])"#, "call.authenticated(true)", "call.cached()",
                "call.timeout(9)",
            ],
            requirement: #"@GET("/number") @Headers(["A": "2"]) @Timeout(9) @Authenticated(true) "#)
    }

    @Test func mock() {
        let source = """
                @GET("/{id}") func user(id: Int) async throws -> User
                @GET("/") func search(text: Query<String>, page: Query<Int?>) async throws(NetworkFailure) -> [User]
                @DELETE("/") func delete() async throws
                @GET("/events") func events() -> ServerSentEventSequence
                @PUT("/") func store(content: Body<Data>) -> Upload<File>
                @PATCH("/") func change() async -> NetworkResponse<User>
                @POST("/") func echo<Value>(_ value: Body<Value>) async throws -> Value where Value: Codable & Sendable
            """
        let expanded = mockMembers(source)
        #expect(
            expanded == [
                #"APIMockMethod<Int, @Sendable (Int) async throws -> User>("PMock.onUser")"#,
                "try await userMethod.handle(id)(id)",
                #"APIMockMethod<(text: String, page: Int?), @Sendable (String, Int?) async throws(NetworkFailure) -> [User]>("PMock.onSearch")"#,
                "try await searchMethod.handle((text: text, page: page))(text, page)",
                #"APIMockMethod<Void, @Sendable () async throws -> Void>("PMock.onDelete")"#,
                "try await deleteMethod.handle(())()",
                #"APIMockMethod<Void, @Sendable () -> ServerSentEventSequence>("PMock.onEvents")"#,
                "eventsMethod.events(()) {",
                #"APIMockMethod<Data, @Sendable (Data) -> Upload<File>>("PMock.onStore")"#,
                "storeMethod.transfer(content) {",
                #"APIMockMethod<Void, @Sendable () async -> NetworkResponse<User>>("PMock.onChange")"#,
                "await changeMethod.response(()) {",
                #"APIMockMethod<(any Codable & Sendable), @Sendable ((any Codable & Sendable)) async throws -> (any Codable & Sendable)>("PMock.onEcho")"#,
                "try echoMethod.cast(await echoMethod.handle(value)(value))",
            ])
    }

    @Test func wholeMock() {
        expectExpansion(
            """
            @API
            public protocol P {
                @GET("/{id}") func user(id: Int) async throws -> User
            }
            """,
            #"""

            public protocol P {
                func user(id: Int) async throws -> User
            }

            /// Sends the requests of ``P``.
            public struct PClient: P, Sendable {
                private let client: any NetworkClientProtocol

                /// - Parameter client: the client that sends the requests, with the base URL in its environment.
                public init(_ client: any NetworkClientProtocol) {
                    self.client = client
                }

                public func user(id: Int) async throws -> User {
                    let call = APICall<User>(.get, ["\(`id`)"])
                    return try await call.value(from: client)
                }
            }

            /// Answers the calls of ``P`` by closures, and records them.
            public final class PMock: P, Sendable {
                public init() {
                }

                private let userMethod = APIMockMethod<Int, @Sendable (Int) async throws -> User>("PMock.onUser")

                /// Answers `user`.
                public var onUser: (@Sendable (Int) async throws -> User)? {
                    get {
                        userMethod.handler
                    }
                    set {
                        userMethod.handler = newValue
                    }
                }

                /// The arguments of the calls of `user`, in order.
                public var userCalls: [Int] {
                    userMethod.calls
                }

                public func user(id: Int) async throws -> User {
                    try await userMethod.handle(id)(id)
                }
            }
            """#)
    }
}
