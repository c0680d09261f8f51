public import NetTransfer

/// Generates a client and a mock from a protocol: `UsersClient` and `UsersMock` from `Users`.
///
/// ```swift
/// @API("/v1", keys: .snakeCase)
/// protocol Users {
///     @GET("/users/{id}") func user(id: Int) async throws -> User
///     @GET("/users") @Query("q", for: "text") func search(text: String, pageSize: Query<Int?>) async throws -> [User]
///     @POST("/users") func create(_ user: Body<NewUser>) async throws -> User
/// }
///
/// let users = UsersClient(client)
/// ```
///
/// - Parameters:
///   - basePath: a path before the path of each method, as plain text.
///   - keys: the case of the names of query items and form parts that are derived from parameter names. Names that are given stay as they
///     are. The names of JSON properties are the matter of the client's encoder and decoder.
///   - mock: whether to generate the mock.
@attached(peer, names: suffixed(Client), suffixed(Mock))
public macro API(_ basePath: String = "", keys: APIKeyCase = .unchanged, mock: Bool = true) =
    #externalMacro(module: "NetworkingMacrosPlugin", type: "APIMacro")

/// The case of names that are derived from parameter names: see ``API(_:keys:mock:)``.
public enum APIKeyCase: Sendable {
    /// `pageSize`
    case unchanged
    /// `page_size`
    case snakeCase
}

// MARK: Methods

/// Sends a GET request.
///
/// - Parameter path: the path after the client's base URL and the base path of ``API(_:keys:mock:)``. It begins with a slash. `{name}` stands
///   for the parameter of that name, whose value may contain anything, including slashes. A path that ends in a slash refuses values with
///   slashes.
@attached(peer) public macro GET(_ path: String) = #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Sends a POST request: see ``GET(_:)``.
@attached(peer) public macro POST(_ path: String) = #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Sends a PUT request: see ``GET(_:)``.
@attached(peer) public macro PUT(_ path: String) = #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Sends a PATCH request: see ``GET(_:)``.
@attached(peer) public macro PATCH(_ path: String) = #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Sends a DELETE request: see ``GET(_:)``.
@attached(peer) public macro DELETE(_ path: String) = #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Sends a HEAD request: see ``GET(_:)``. The method returns nothing, or a `TransportResponse`.
@attached(peer) public macro HEAD(_ path: String) = #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Sends an OPTIONS request: see ``GET(_:)``.
@attached(peer) public macro OPTIONS(_ path: String) = #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

// MARK: Parameters

/// A parameter that is a query item. Its name is that of the parameter. Nil is left out.
///
/// Swift accepts no attribute at a parameter of a protocol's method, so the type says what the parameter is. `Query<Int>` is `Int`.
public typealias Query<Value> = Value

/// A parameter whose properties are query items.
public typealias QueryObject<Value> = Value

/// A parameter that is a header field. `requestID: Header<String>` is sent as `Request-ID`. Nil is left out.
public typealias Header<Value> = Value

/// A parameter that is the body: an `Encodable` value, `Data`, `String`, `HTTPBody`, `MultipartFormData` or `Uploader.Content`.
public typealias Body<Value> = Value

/// A parameter that is a part of a form: text, a number, `Data`, `HTTPBody`, the `URL` of a file, or a `MultipartFormData.Part`. Nil is left out.
public typealias Part<Value> = Value

/// The result of a download, which begins at once. A parameter of type ``Destination`` says where the file is stored.
public typealias Download = (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>)

/// The result of an upload, which begins at once.
public typealias Upload<Response> = (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>)

/// A parameter that is the destination of a ``Download``: a file, a folder, or nil for a temporary folder.
public typealias Destination = URL?

/// Names a query item: `@Query("q", for: "text")`. The parameter needs no ``Query``.
@attached(peer) public macro Query(_ name: String, for parameter: String) =
    #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Names a header field: `@Header("Idempotency-Key", for: "key")`. The parameter needs no ``Header``.
@attached(peer) public macro Header(_ name: String, for parameter: String) =
    #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Makes a parameter the body, with an encoding: `@Body("credentials", as: .formURLEncoded)`. The parameter needs no ``Body``.
@attached(peer) public macro Body(_ parameter: String, as contentType: RequestContentType) =
    #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Names a part of a form: `@Part("photo", for: "image", filename: "photo.jpg")`. The parameter needs no ``Part``.
///
/// - Parameters:
///   - name: the name of the part.
///   - parameter: the name of the parameter.
///   - filename: the name of the file, for `Data` and `HTTPBody`.
///   - mimeType: the type of the content, for `Data` and `HTTPBody`; nil derives it from `filename`.
@attached(peer) public macro Part(
    _ name: String, for parameter: String, filename: String? = nil, mimeType: String? = nil
) =
    #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Sends the parts as `multipart/form-data`.
@attached(peer) public macro Multipart() = #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

// MARK: Settings of a method, or of all methods of a protocol

/// Fixed header fields. Those of a method replace those of the protocol, and parameters replace both.
@attached(peer) public macro Headers(_ fields: [String: String]) =
    #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Whether the request has the client's credentials. At the protocol, it applies to the methods without an attribute of their own.
@attached(peer) public macro Authenticated(_ isAuthenticated: Bool) =
    #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// Whether GET and HEAD requests use the client's cache: see `NetworkClient.send(_:cached:)`. At the protocol, it applies to GET and HEAD methods
/// without an attribute of their own.
@attached(peer) public macro Cached(_ isCached: Bool = true) =
    #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// The number of retries by the built-in rule of `RetryPolicy`, in place of the client's policy.
@attached(peer) public macro Retry(_ maxRetries: Int) = #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// A retry policy in place of the client's.
@attached(peer) public macro Retry(_ policy: RetryPolicy) =
    #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")

/// The longest time without any byte, in seconds.
@attached(peer) public macro Timeout(_ seconds: Double) =
    #externalMacro(module: "NetworkingMacrosPlugin", type: "Marker")
