import NetworkingMacros

struct User: Codable, Hashable, Sendable {
    var id: Int
    var name: String
}

struct NewUser: Codable, Hashable, Sendable {
    var name: String
}

enum Order: String, Sendable {
    case newestFirst = "newest"
    case oldestFirst = "oldest"
}

/// The example of the README.
@API
protocol Users {
    @GET("/users/{id}") func user(id: Int) async throws -> User
    @GET("/users") @Query("q", for: "text")
    func search(text: String, page: Query<Int?>, order: Query<Order?>) async throws -> [User]
    @POST("/users") func create(_ user: Body<NewUser>, idempotencyKey: Header<String>) async throws -> User
    @DELETE("/users/{id}") func delete(id: Int) async throws
    @Multipart @PUT("/users/{id}/photo") func upload(id: Int, photo: Part<HTTPBody>) async throws
    @GET("/events") func events() -> ServerSentEventSequence
}
