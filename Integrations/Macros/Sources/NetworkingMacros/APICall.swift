public import NetTransfer

/// A call of a method of an ``API(_:keys:mock:)`` protocol: a `Request`, and what a `Request` does not hold. Generated code builds and sends it.
public struct APICall<Response>: Sendable {
    var request: Request<Response>
    var isCached: Bool?
    var retryPolicy: RetryPolicy?
    /// The content of an upload that is not a form.
    var content: Uploader.Content?
    /// The form of ``multipart()``.
    private(set) var form: MultipartFormData?
    /// Why the request cannot be built.
    var problem: NetworkError?

    /// - Parameters:
    ///   - method: the method.
    ///   - path: the components of the path.
    ///   - endsInSlash: whether the path ends in a slash. A component with a slash fails the call then.
    public init(_ method: HTTPMethod, _ path: [APIText], endsInSlash: Bool = false) {
        // An empty component is refused when the request is sent.
        let components = path.map { $0.text ?? "" }
        request = Request(method: method, pathComponents: components)
        guard endsInSlash else { return }
        request.target = .path(components.map { "/\($0)" }.joined() + "/")
        // In a path as one text, an empty component or a slash would address another resource.
        if components.contains(where: { $0.isEmpty || $0.contains("/") }) {
            problem = .unsupported(
                "A value in a path that ends in a slash is empty or contains a slash. Remove the slash at the end of the path."
            )
        }
    }

    // MARK: Query and header fields

    // Not generic: the conformance of a model may be isolated to the caller's actor.
    public mutating func query(_ name: String, _ value: any Encodable & Sendable) { request.query[name] = value }

    @_disfavoredOverload
    public mutating func query<Value: RawRepresentable>(_ name: String, _ value: Value?)
    where Value.RawValue: Encodable & Sendable {
        request.query[name] = value?.rawValue
    }

    public mutating func queryObject(_ value: (any Encodable & Sendable)?) { request.queryObject = value }

    public mutating func headers(_ fields: [String: String]) {
        for (name, value) in fields { header(name, APIText(stringLiteral: value)) }
    }

    public mutating func header(_ name: String, _ value: APIText) {
        if let text = value.text { request.headers.add(HTTPHeader(name: name, value: text)) }
    }

    // MARK: Body

    /// Sets the body. Nil is none, and not `null`.
    public mutating func body(
        _ value: (any Encodable & Sendable)?, as contentType: RequestContentType = .clientEncoder
    ) {
        request.body = value
        request.contentType = contentType
    }

    public mutating func body(_ body: HTTPBody?) { request.rawBody = body }

    public mutating func body(_ form: MultipartFormData?) {
        if let form { request.contentType = .multipart(form) }
    }

    // MARK: Parts of a form

    public mutating func part(_ name: String, _ value: APIText) {
        if let text = value.text { append(.text(text), name) }
    }

    public mutating func part(_ name: String, _ value: UUID?) { part(name, "\(value)" as APIText) }

    public mutating func part(_ name: String, _ value: MultipartFormData.Part?) {
        if let value { append(value, name) }
    }

    public mutating func part(_ name: String, _ value: Data?, filename: String? = nil, mimeType: String? = nil) {
        part(name, value.map { HTTPBody($0) }, filename: filename, mimeType: mimeType)
    }

    public mutating func part(_ name: String, _ value: HTTPBody?, filename: String? = nil, mimeType: String? = nil) {
        if let value { append(MultipartFormData.Part(value, filename: filename, mimeType: mimeType), name) }
    }

    /// Appends a file.
    public mutating func part(_ name: String, _ file: URL?) {
        guard let file else { return }
        do {
            append(try .file(file), name)
        } catch {
            problem = error as? NetworkError ?? .uploadFailed(error)
        }
    }

    @_disfavoredOverload
    public mutating func part<Value: LosslessStringConvertible>(_ name: String, _ value: Value?) {
        part(name, "\(value)" as APIText)
    }

    public mutating func part<Value: RawRepresentable>(_ name: String, _ value: Value?)
    where Value.RawValue: LosslessStringConvertible {
        part(name, "\(value)" as APIText)
    }

    /// Makes the request a form, also without parts.
    public mutating func multipart() {
        guard form == nil else { return }
        let form = MultipartFormData()
        self.form = form
        body(form)
    }

    private mutating func append(_ part: MultipartFormData.Part, _ name: String) {
        multipart()
        form?.append(part, name: name)
    }
}
