import NetCore

/// The URL under which ``CachePolicyInterceptor`` keeps a response: the address, and in the fragment, which a server never sees, the
/// marks of its owner and of its variant.
struct CacheKey: Hashable {
    /// The key of the response; where it varies, of all its variants together.
    let url: URL

    private let base: String
    private let marks: [String]

    /// Nil for a URL without an authority, which is not one of HTTP.
    ///
    /// - Parameters:
    ///   - owner: the text that stands for the identity; empty for an anonymous one.
    ///   - body: the text that stands for the request's body; nil if it has none.
    init?(url: URL, owner: String, body: String? = nil) {
        guard let address = CacheAddress(url) else { return nil }
        let owner = owner.isEmpty ? [] : ["owner=" + owner.filter { $0 != "#" }]
        self.init(base: address.text, marks: owner + (body.map { ["body=" + $0] } ?? []))
    }

    private init?(base: String, marks: [String]) {
        guard let url = URL(string: marks.isEmpty ? base : base + "#" + marks.joined(separator: "&")) else {
            return nil
        }
        self.url = url
        self.base = base
        self.marks = marks
    }

    /// Where the fields are kept by which the response varies.
    var variantIndex: CacheKey? { adding("vary") }

    /// Where the keys are kept under which responses to the URL are stored, of all owners.
    var urlIndex: URL? { URL(string: base + "#index") }

    /// The key of the variant that these values of the request's header fields select.
    func variant(_ digest: String) -> CacheKey? { adding("variant=" + digest) }

    private func adding(_ mark: String) -> CacheKey? {
        CacheKey(base: base, marks: marks + [mark])
    }
}

/// The digest of names and values. Each part stands behind its length, so that no two lists read the same.
func cacheDigest(of fields: [(name: String, value: String)]) -> String {
    let text = fields.map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
    return SHA256.hex(Data(text.utf8))
}
