import Foundation
public import NetworkingMacros

public struct Item: Codable, Hashable, Sendable {
    public var id: String
}

public struct Filter: Codable, Sendable {
    public var color: String
    public var sizes: [Int]
}

public struct Login: Codable, Sendable {
    public var user: String
    public var password: String
}

/// Everything that a method can be.
@API("/v1", keys: .snakeCase)
@Headers(["X-Client": "tests", "X-Common": "1"])
public protocol Shop {
    @GET("/items/{id}/{name}.json") @Headers(["X-Client": "one"])
    func item(id: UUID, name: String) async throws(NetworkFailure) -> Item

    @GET("/items")
    func items(
        pageSize: Query<Int>, tags: Query<[String]>, filter: QueryObject<Filter>, requestID: Header<Int?>
    ) async throws -> [Item]

    @GET("/list/{folder}/") func list(folder: String) async throws -> String

    @GET("/") func root() async throws -> Data

    @PUT("/items/{id}") func replace(id: String, with item: Body<Item>) async throws -> TransportResponse

    @PATCH("/items/{id}") func change(id: String, _ item: Body<Item?>) async -> NetworkResponse<Item>

    @HEAD("/items/{id}") func check(id: String) async throws

    @OPTIONS("/items") func allowed() async throws -> TransportResponse

    @POST("/login") @Authenticated(false) @Body("login", as: .formURLEncoded)
    func logIn(_ login: Login) async throws

    @GET("/cached") @Cached func cached() async throws -> Item

    @GET("/flaky") @Retry(RetryPolicy(maxRetries: 2, delay: .immediate)) func flaky() async throws -> Item

    @GET("/once") @Retry(.none) func once() async throws -> Item

    @GET("/slow") @Timeout(0.2) func slow() async throws

    @Multipart @POST("/forms") @Part("picture", for: "image", filename: "a.png", mimeType: "image/png")
    func send(title: Part<String>, image: Data, note: Part<String?>, copyCount: Part<Int>, file: Part<URL>) async throws

    @GET("/files/{name}") func load(name: String, to file: Destination, options: Downloader.Options) -> Download

    @PUT("/files/{name}") func store(name: String, content: Body<Uploader.Content>) -> Upload<Item>

    @Multipart @POST("/files") func storeForm(photo: Part<HTTPBody>) -> Upload<Item>

    @POST("/echo") func stream(_ body: Body<HTTPBody>) async throws -> String

    @GET("/events")
    func events(since: Query<Int>, configuration: ServerSentEventSequence.Configuration) -> ServerSentEventSequence
}

/// Settings of the protocol, also for streams and transfers.
@API
@Headers(["X-Client": "settings"])
@Retry(RetryPolicy(maxRetries: 2, delay: .immediate))
@Timeout(30)
@Cached
protocol Settings {
    @GET("/value") func value() async throws -> Int
    @POST("/value") func post(id: Query<UUID>) async throws -> Int
    @GET("/slow") @Timeout(0.2) @Retry(.none) func loadSlowly(options: Downloader.Options) -> Download
    @PUT("/slow") @Timeout(0.2) @Retry(.none) func storeSlowly(content: Body<Data>) -> Upload<Int>
    @GET("/file") func file(filter: QueryObject<Filter>, tags: Query<[String]>) -> Download
    @POST("/report") func report(_ body: Body<HTTPBody>) -> Download
    @PUT("/file") func store(content: Body<Data>) -> Upload<Int>
    @PUT("/file") func storeFile(content: Body<URL>) -> Upload<Int>
    @GET("/events") @Authenticated(false) func events() -> ServerSentEventSequence
}

// MARK: Generics

@API
protocol Store<Value> {
    associatedtype Value: Codable & Sendable
    @GET("/values") func values() async throws -> [Value]
    @POST("/values") func add(_ value: Body<Value>) async throws
}

@API
protocol Echo {
    @POST("/echo") func echo<Value>(_ value: Body<Value>, count: Query<Int>) async throws -> Value
    where Value: Codable & Sendable
    @POST("/some") func send(_ value: Body<some Encodable & Sendable>) async throws
}

// MARK: Isolation

@API
nonisolated protocol Free: Sendable {
    @GET("/number") func number() async throws -> Int
}

@API
@MainActor
protocol OnMain {
    @GET("/number") func number() async throws -> Int
}

/// Names that the generated code could use itself.
@API
protocol Names {
    @GET("/{client}/{call}") func `default`(client: String, call: Int, handler: Query<String>) async throws -> Int
    @GET("/{in}") func `in`(`in`: String) async throws -> Int
}

@API(mock: false)
fileprivate protocol Hidden {
    @GET("/number") func number() async throws -> Int
}

func hiddenNumber(_ client: any NetworkClientProtocol) async throws -> Int { try await HiddenClient(client).number() }
