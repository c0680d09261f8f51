import NetCore

/// What a file of a ``DiskCache`` is named after.
///
/// Names are made of digests, so that a URL of any length and with any characters has one, and a folder does not tell to a
/// passing eye what was read. They are no proof: the head of each file has the whole key, which is compared.
struct DiskKey: Hashable {
    /// What is stored.
    enum Kind: UInt8 {
        /// A response with its head: ``HTTPCacheStore``.
        case response = 0
        /// Bytes alone: ``ResponseCaching``.
        case data = 1
    }

    let kind: Kind
    let url: String
    let owner: String

    init(kind: Kind, url: String, owner: String) {
        self.kind = kind
        self.url = url
        self.owner = owner
    }

    init(_ key: HTTPCacheKey) {
        self.init(kind: .response, url: key.url, owner: key.owner)
    }
}

/// The names of the files of one key.
struct DiskName: Hashable {
    /// The folder, of 4096: three digits.
    let shard: String
    /// With it the names of all files of a URL begin.
    let urlPart: String
    private let ownerPart: String

    /// The length of the name of an entry: 24 digits, a hyphen, 16 digits, a hyphen, 16 digits.
    static let length = 58
    static let bodySuffix = ".body"
    static let temporarySuffix = ".tmp"

    init(url: String) {
        urlPart = String(SHA256.hex(Data(url.utf8)).prefix(24))
        shard = String(urlPart.prefix(3))
        ownerPart = ""
    }

    init(_ key: DiskKey) {
        let name = DiskName(url: key.url)
        urlPart = name.urlPart
        shard = name.shard
        ownerPart = String(SHA256.hex(Data("\(key.kind.rawValue) \(key.owner)".utf8)).prefix(16))
    }

    /// With it the names of all entries of the key begin.
    var prefix: String { "\(urlPart)-\(ownerPart)-" }

    func file(id: String) -> String {
        prefix + SHA256.hex(Data(id.utf8)).prefix(16)
    }

    static func body(of file: String, token: UInt64) -> String {
        "\(file).\(hex(token))\(bodySuffix)"
    }

    static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
