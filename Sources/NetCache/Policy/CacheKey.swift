import NetCore

/// Under which URL ``CachePolicyInterceptor`` keeps a response: the address, and in the fragment, which a server never sees, the
/// marks of ``CacheOwner``.
struct CacheKey: Hashable {
    /// The key of the response; where it varies, of all its variants together.
    let url: URL
    /// Whether something in it says whose response it is.
    let hasOwner: Bool
    /// A digest of the credentials in the request; nil if it has none.
    let credentials: String?

    private let base: String
    private let marks: [String]

    /// Nil for a URL without an authority, which is not one of HTTP.
    ///
    /// - Parameter body: what stands for the request's body; nil if it has none.
    init?(request: URLRequest, partition: String?, body: String? = nil) {
        let fields = request.allHTTPHeaderFields ?? [:]
        guard let url = request.url, let owner = CacheOwner(url: url, fields: fields, partition: partition) else {
            return nil
        }
        let marks = owner.marks
        self.init(
            base: owner.address, marks: marks + (body.map { ["body=" + $0] } ?? []), credentials: owner.credentials,
            hasOwner: !marks.isEmpty)
    }

    private init?(base: String, marks: [String], credentials: String?, hasOwner: Bool) {
        guard let url = URL(string: marks.isEmpty ? base : base + "#" + marks.joined(separator: "&")) else {
            return nil
        }
        self.url = url
        self.base = base
        self.marks = marks
        self.credentials = credentials
        self.hasOwner = hasOwner
    }

    /// Where it is kept by which fields the response varies.
    var variantIndex: CacheKey? { adding("vary") }

    /// The key of the variant that these values of the request's header fields select.
    func variant(of fields: [String], in request: URLRequest) -> CacheKey? {
        let values = fields.map { ($0, request.value(forHTTPHeaderField: $0) ?? "") }
        return adding("variant=" + CacheOwner.digest(of: values))
    }

    private func adding(_ mark: String) -> CacheKey? {
        CacheKey(base: base, marks: marks + [mark], credentials: credentials, hasOwner: hasOwner)
    }
}
