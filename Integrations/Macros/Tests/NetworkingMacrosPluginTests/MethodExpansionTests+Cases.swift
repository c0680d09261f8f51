extension MethodExpansionTests {
    static let cases: [Case] = [
        Case(
            "path parameter",
            ##"@GET("/users/{id}") func user(id: Int) async throws -> User"##,
            requirement: ##"func user(id: Int) async throws -> User"##,
            ##"""
            func user(id: Int) async throws -> User {
                let call = APICall<User>(.get, ["users", "\(`id`)"])
                return try await call.value(from: client)
            }
            """##),
        Case(
            "several path parameters",
            ##"@GET("/{owner}/{repo}/{file}.json") func file(owner: String, repo: String, named file: String) async throws -> Data"##,
            requirement: ##"func file(owner: String, repo: String, named file: String) async throws -> Data"##,
            ##"""
            func file(owner: String, repo: String, named file: String) async throws -> Data {
                let call = APICall<Data>(.get, ["\(`owner`)", "\(`repo`)", "\(`file`).json"])
                return try await call.value(from: client)
            }
            """##),
        Case(
            "root path",
            ##"@GET("/") func root() async throws -> String"##,
            requirement: ##"func root() async throws -> String"##,
            ##"""
            func root() async throws -> String {
                let call = APICall<String>(.get, [])
                return try await call.value(from: client)
            }
            """##),
        Case(
            "trailing slash",
            ##"@GET("/users/") func users() async throws -> [User]"##,
            requirement: ##"func users() async throws -> [User]"##,
            ##"""
            func users() async throws -> [User] {
                let call = APICall<[User]>(.get, ["users"], endsInSlash: true)
                return try await call.value(from: client)
            }
            """##),
        Case(
            "query",
            ##"@GET("/users") func users(page: Query<Int?>, pageSize: Query<Int>) async throws -> [User]"##,
            requirement: ##"func users(page: Query<Int?>, pageSize: Query<Int>) async throws -> [User]"##,
            ##"""
            func users(page: Int?, pageSize: Int) async throws -> [User] {
                var call = APICall<[User]>(.get, ["users"])
                call.query("page", page)
                call.query("pageSize", pageSize)
                return try await call.value(from: client)
            }
            """##),
        Case(
            "named query",
            ##"@GET("/users") @Query("q", for: "text") func search(text: String) async throws -> [User]"##,
            requirement: ##"func search(text: String) async throws -> [User]"##,
            ##"""
            func search(text: String) async throws -> [User] {
                var call = APICall<[User]>(.get, ["users"])
                call.query("q", text)
                return try await call.value(from: client)
            }
            """##),
        Case(
            "query object",
            ##"@GET("/users") func search(filter: QueryObject<Filter>) async throws -> [User]"##,
            requirement: ##"func search(filter: QueryObject<Filter>) async throws -> [User]"##,
            ##"""
            func search(filter: Filter) async throws -> [User] {
                var call = APICall<[User]>(.get, ["users"])
                call.queryObject(filter)
                return try await call.value(from: client)
            }
            """##),
        Case(
            "header",
            ##"@GET("/users") func users(requestID: Header<String>) async throws -> [User]"##,
            requirement: ##"func users(requestID: Header<String>) async throws -> [User]"##,
            ##"""
            func users(requestID: String) async throws -> [User] {
                var call = APICall<[User]>(.get, ["users"])
                call.header("Request-ID", "\(requestID)")
                return try await call.value(from: client)
            }
            """##),
        Case(
            "named header",
            ##"@POST("/users") @Header("Idempotency-Key", for: "key") func create(_ user: Body<NewUser>, key: String) async throws -> User"##,
            requirement: ##"func create(_ user: Body<NewUser>, key: String) async throws -> User"##,
            ##"""
            func create(_ user: NewUser, key: String) async throws -> User {
                var call = APICall<User>(.post, ["users"])
                call.body(user)
                call.header("Idempotency-Key", "\(key)")
                return try await call.value(from: client)
            }
            """##),
        Case(
            "form body",
            ##"@POST("/login") @Body("login", as: .formURLEncoded) func logIn(_ login: Login) async throws"##,
            requirement: ##"func logIn(_ login: Login) async throws"##,
            ##"""
            func logIn(_ login: Login) async throws {
                var call = APICall<EmptyResponse>(.post, ["login"])
                call.body(login, as: .formURLEncoded)
                _ = try await call.value(from: client)
            }
            """##),
        Case(
            "no result",
            ##"@DELETE("/users/{id}") func delete(id: Int) async throws -> Void"##,
            requirement: ##"func delete(id: Int) async throws -> Void"##,
            ##"""
            func delete(id: Int) async throws -> Void {
                let call = APICall<EmptyResponse>(.delete, ["users", "\(`id`)"])
                _ = try await call.value(from: client)
            }
            """##),
        Case(
            "head",
            ##"@HEAD("/users/{id}") func check(id: Int) async throws"##,
            requirement: ##"func check(id: Int) async throws"##,
            ##"""
            func check(id: Int) async throws {
                let call = APICall<EmptyResponse>(.head, ["users", "\(`id`)"])
                _ = try await call.value(from: client)
            }
            """##),
        Case(
            "options response",
            ##"@OPTIONS("/users") func options() async throws -> TransportResponse"##,
            requirement: ##"func options() async throws -> TransportResponse"##,
            ##"""
            func options() async throws -> TransportResponse {
                let call = APICall<EmptyResponse>(.options, ["users"])
                return try await call.response(from: client)
            }
            """##),
        Case(
            "network response",
            ##"@PATCH("/users/{id}") func change(id: Int, _ user: Body<User>) async -> NetworkResponse<User>"##,
            requirement: ##"func change(id: Int, _ user: Body<User>) async -> NetworkResponse<User>"##,
            ##"""
            func change(id: Int, _ user: User) async -> NetworkResponse<User> {
                var call = APICall<User>(.patch, ["users", "\(`id`)"])
                call.body(user)
                return await call.outcome(from: client)
            }
            """##),
        Case(
            "throwing network response",
            ##"@GET("/users") func users() async throws -> NetworkResponse<[User]>"##,
            requirement: ##"func users() async throws -> NetworkResponse<[User]>"##,
            ##"""
            func users() async throws -> NetworkResponse<[User]> {
                let call = APICall<[User]>(.get, ["users"])
                return await call.outcome(from: client)
            }
            """##),
        Case(
            "typed throws",
            ##"@GET("/user") func user() async throws(NetworkFailure) -> User"##,
            requirement: ##"func user() async throws(NetworkFailure) -> User"##,
            ##"""
            func user() async throws(NetworkFailure) -> User {
                let call = APICall<User>(.get, ["user"])
                return try await call.value(from: client)
            }
            """##),
        Case(
            "multipart",
            ##"@Multipart @PUT("/photo") func upload(photo: Part<HTTPBody>, title: Part<String?>) async throws"##,
            requirement: ##"func upload(photo: Part<HTTPBody>, title: Part<String?>) async throws"##,
            ##"""
            func upload(photo: HTTPBody, title: String?) async throws {
                var call = APICall<EmptyResponse>(.put, ["photo"])
                call.multipart()
                call.part("photo", photo)
                call.part("title", title)
                _ = try await call.value(from: client)
            }
            """##),
        Case(
            "named part",
            ##"@Multipart @PUT("/photo") @Part("photo", for: "image", filename: "a.png", mimeType: "image/png") func upload(image: Data) async throws"##,
            requirement: ##"func upload(image: Data) async throws"##,
            ##"""
            func upload(image: Data) async throws {
                var call = APICall<EmptyResponse>(.put, ["photo"])
                call.multipart()
                call.part("photo", image, filename: "a.png", mimeType: "image/png")
                _ = try await call.value(from: client)
            }
            """##),
        Case(
            "events",
            ##"@GET("/events") func events() -> ServerSentEventSequence"##,
            requirement: ##"func events() -> ServerSentEventSequence"##,
            ##"""
            func events() -> ServerSentEventSequence {
                let call = APICall<EmptyResponse>(.get, ["events"])
                return call.events(from: client)
            }
            """##),
        Case(
            "configured events",
            ##"@GET("/events") func events(configuration: ServerSentEventSequence.Configuration) -> ServerSentEventSequence"##,
            requirement:
                ##"func events(configuration: ServerSentEventSequence.Configuration) -> ServerSentEventSequence"##,
            ##"""
            func events(configuration: ServerSentEventSequence.Configuration) -> ServerSentEventSequence {
                let call = APICall<EmptyResponse>(.get, ["events"])
                return call.events(from: client, configuration: configuration)
            }
            """##),
        Case(
            "download",
            ##"@GET("/files/{name}") func load(name: String, to file: Destination, options: Downloader.Options) -> Download"##,
            requirement: ##"func load(name: String, to file: Destination, options: Downloader.Options) -> Download"##,
            ##"""
            func load(name: String, to file: Destination, options: Downloader.Options) -> Download {
                let call = APICall<EmptyResponse>(.get, ["files", "\(`name`)"])
                return call.download(from: client, to: file, options: options)
            }
            """##),
        Case(
            "upload",
            ##"@PUT("/files/{name}") func store(name: String, content: Body<Uploader.Content>) -> Upload<File>"##,
            requirement: ##"func store(name: String, content: Body<Uploader.Content>) -> Upload<File>"##,
            ##"""
            func store(name: String, content: Uploader.Content) -> Upload<File> {
                var call = APICall<File>(.put, ["files", "\(`name`)"])
                call.content(content)
                return call.upload(to: client)
            }
            """##),
        Case(
            "settings",
            ##"@GET("/user") @Authenticated(false) @Cached @Retry(3) @Timeout(5) @Headers(["Accept": "text/html"]) func user() async throws -> User"##,
            requirement: ##"func user() async throws -> User"##,
            ##"""
            func user() async throws -> User {
                var call = APICall<User>(.get, ["user"])
                call.headers(["Accept": "text/html"])
                call.authenticated(false)
                call.cached()
                call.retry(3)
                call.timeout(5)
                return try await call.value(from: client)
            }
            """##),
        Case(
            "retry policy",
            ##"@GET("/user") @Retry(.none) func user() async throws -> User"##,
            requirement: ##"func user() async throws -> User"##,
            ##"""
            func user() async throws -> User {
                var call = APICall<User>(.get, ["user"])
                call.retry(.none)
                return try await call.value(from: client)
            }
            """##),
        Case(
            "generic",
            ##"@POST("/echo") func echo<Value: Codable & Sendable>(_ value: Body<Value>) async throws -> Value"##,
            requirement: ##"func echo<Value: Codable & Sendable>(_ value: Body<Value>) async throws -> Value"##,
            ##"""
            func echo<Value: Codable & Sendable>(_ value: Value) async throws -> Value {
                var call = APICall<Value>(.post, ["echo"])
                call.body(value)
                return try await call.value(from: client)
            }
            """##),
        Case(
            "opaque",
            ##"@POST("/echo") func send(_ value: Body<some Encodable & Sendable>) async throws"##,
            requirement: ##"func send(_ value: Body<some Encodable & Sendable>) async throws"##,
            ##"""
            func send(_ value: some Encodable & Sendable) async throws {
                var call = APICall<EmptyResponse>(.post, ["echo"])
                call.body(value)
                _ = try await call.value(from: client)
            }
            """##),
        Case(
            "names of generated code",
            ##"@GET("/{client}") func get(client: String, call: Query<Int>) async throws -> User"##,
            requirement: ##"func get(client: String, call: Query<Int>) async throws -> User"##,
            ##"""
            func get(client: String, call: Int) async throws -> User {
                var apiCall = APICall<User>(.get, ["\(`client`)"])
                apiCall.query("call", call)
                return try await apiCall.value(from: self.client)
            }
            """##),
        Case(
            "other attributes",
            ##"@available(macOS 13, *) @discardableResult @POST("/users") func create() async throws -> User"##,
            requirement: ##"@available(macOS 13, *) @discardableResult func create() async throws -> User"##,
            ##"""
            @available(macOS 13, *) @discardableResult func create() async throws -> User {
                let call = APICall<User>(.post, ["users"])
                return try await call.value(from: client)
            }
            """##),
        Case(
            "qualified types",
            ##"@GET("/user") func user(id: NetworkingMacros.Query<Int>) async throws -> NetCore.TransportResponse"##,
            requirement: ##"func user(id: NetworkingMacros.Query<Int>) async throws -> NetCore.TransportResponse"##,
            ##"""
            func user(id: Int) async throws -> NetCore.TransportResponse {
                var call = APICall<EmptyResponse>(.get, ["user"])
                call.query("id", id)
                return try await call.response(from: client)
            }
            """##),
        Case(
            "escaped names",
            ##"@GET("/a\"b/{in}") func `default`(`in`: Int) async throws -> User"##,
            requirement: ##"func `default`(`in`: Int) async throws -> User"##,
            ##"""
            func `default`(`in`: Int) async throws -> User {
                let call = APICall<User>(.get, ["a\"b", "\(`in`)"])
                return try await call.value(from: client)
            }
            """##),
    ]
}
