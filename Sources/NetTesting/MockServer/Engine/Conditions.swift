import NetCore

/// The conditions of a request, held against a resource (RFC 9110, section 13).
struct Conditions {
    private let resource: MockResource
    private let fields: HTTPHeaders

    init(_ resource: MockResource, _ fields: HTTPHeaders) {
        self.resource = resource
        self.fields = fields
    }

    /// 412 or 304, if a condition does not hold. A condition of time counts only where there is none of a tag.
    var failure: Int? {
        if let tags = tags("If-Match") {
            if !tags.contains(where: { $0 == "*" || isSame($0, strongly: true) }) { return 412 }
        } else if let date = date("If-Unmodified-Since"), let modified = resource.lastModified,
            Self.isAfter(modified, date)
        {
            return 412
        }
        if let tags = tags("If-None-Match") {
            return tags.contains { $0 == "*" || isSame($0, strongly: false) } ? 304 : nil
        }
        if let date = date("If-Modified-Since"), let modified = resource.lastModified, !Self.isAfter(modified, date) {
            return 304
        }
        return nil
    }

    /// Whether a part would fit what the client has: `If-Range` takes a strong tag or the exact date (section 13.1.5).
    var allowsRange: Bool {
        guard let value = fields["If-Range"] else { return true }
        if value.hasPrefix("\"") || value.hasPrefix("W/") { return isSame(value, strongly: true) }
        guard let date = date("If-Range"), let modified = resource.lastModified else { return false }
        return Int64(date.timeIntervalSince1970) == Int64(modified.timeIntervalSince1970)
    }

    private func isSame(_ tag: String, strongly: Bool) -> Bool {
        guard let own = resource.etag else { return false }
        let opaque = { (tag: String) in tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag }
        return strongly ? tag == own && !own.hasPrefix("W/") : opaque(tag) == opaque(own)
    }

    /// The members of a list of tags. (A comma within a tag is no business of a test server.)
    private func tags(_ name: String) -> [String]? {
        let values = fields.values(for: name)
        guard !values.isEmpty else { return nil }
        return values.flatMap { $0.split(separator: ",") }.map { String($0).withoutHTTPWhitespace }
    }

    private func date(_ name: String) -> Date? {
        fields[name].flatMap { HTTPDate.parse($0, now: Date()) }
    }

    /// To the second, which is what the fields can say.
    private static func isAfter(_ left: Date, _ right: Date) -> Bool {
        left.timeIntervalSince1970.rounded(.down) > right.timeIntervalSince1970.rounded(.down)
    }
}
