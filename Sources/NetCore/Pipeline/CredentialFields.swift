/// Decides which header fields may follow a redirect to another origin: those known to be harmless. Any other is a credential of its origin.
///
/// ``KnownField`` lists the harmless names: the fields of RFC 9110 and 9111 except `Authorization` and `Proxy-Authorization`, and fields
/// that only identify or date a message, or open a WebSocket. Any other name counts as a credential, including custom ones
/// (`X-Session`, `Token`, `X-Tenant`). ``IdentifyingFields`` decides which fields separate stored responses.
package struct CredentialFields: Sendable, Hashable {
    /// The fields without the user's additions.
    package static let standard = CredentialFields(harmless: [])
    private let harmless: FieldNameTable
    /// The names that the user added, in lower case, without the standard ones.
    private let additional: Set<String>

    /// Creates a list with additional harmless names, in any case.
    ///
    /// `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie` stay credentials even if they are listed.
    package init(harmless additional: some Collection<String>) {
        let known = KnownField.harmlessNames
        self.additional = Set(additional.map(\.asciiLowercased))
            .subtracting(KnownField.alwaysCredentials).subtracting(known)
        harmless = FieldNameTable(known + self.additional)
    }

    /// Returns the same list with more harmless names.
    package func adding(harmless names: some Collection<String>) -> CredentialFields {
        CredentialFields(harmless: additional.union(names))
    }

    /// Whether the field's name says that its value is a secret, such as `Authorization` or `X-API-Key`. Such a field is never written to a
    /// file. A custom name without that hint (`X-Tenant`) is a credential all the same.
    package static func namesSecret(_ name: String) -> Bool {
        KnownField.alwaysCredentials.contains(name.asciiLowercased) || FieldNames.isSecret(name)
    }

    /// Whether the field holds credentials of a request by RFC 9110 or 6265, rather than by a custom name.
    package static func isStandardCredential(_ name: String) -> Bool {
        KnownField.requestCredentials.contains(name.asciiLowercased)
    }

    /// Whether a field of this name is a credential, regardless of case.
    package func isCredential(_ name: String) -> Bool {
        name.withASCIIBytes { name in
            guard !name.isEmpty, !harmless.contains(name) else { return name.isEmpty }
            // The B3 fields all identify a trace.
            return !(name.count > 5 && name.hasLowercasePrefix("x-b3-"))
        }
    }
}

/// A set of names in lower case. It compares names exactly and without hashing, regardless of the case of letters.
struct FieldNameTable: Sendable, Hashable {
    /// The names, concatenated, sorted by length and then alphabetically.
    private let names: [UInt8]
    /// The offset in ``names`` of the first name of each length, and the end of the last one.
    private let starts: [Int]

    init(_ names: some Sequence<String>) {
        let all = Set(names.map(\.asciiLowercased)).sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        self.names = all.flatMap(\.utf8)
        let lengths = all.map(\.utf8.count)
        starts = (0...(lengths.last ?? 0) + 1).map { length in lengths.prefix { $0 < length }.reduce(0, +) }
    }

    func contains(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let length = name.count
        guard length > 0, length + 1 < starts.count else { return false }
        return names.withUnsafeBufferPointer { names in
            let first = name[0].asciiLowercased
            for start in stride(from: starts[length], to: starts[length + 1], by: length)
            where names[start] == first
                && name.hasLowercasePrefix(UnsafeBufferPointer(rebasing: names[start..<(start + length)]))
            {
                return true
            }
            return false
        }
    }
}

extension String {
    /// Calls a closure with the bytes. Strings made by Foundation may not be contiguous; only those are copied.
    func withASCIIBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
    }
}
