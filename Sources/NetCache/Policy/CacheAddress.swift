import NetCore

/// A URL as RFC 3986, sections 6.2.2 and 6.2.3 normalise it, as far as two spellings are common: scheme and host in lower case, no
/// default port, no fragment, no user information.
///
/// Works on bytes: `URLComponents` decodes and encodes hosts again, does it differently on each platform, and takes longer than
/// all else of a hit.
struct CacheAddress {
    let text: String

    /// Nil for a URL without an authority.
    ///
    /// - Parameter ignored: the names of query items to leave out.
    init?(_ url: URL, ignoringQueryItems ignored: Set<String> = []) {
        var whole = url.absoluteString
        let text: String? = whole.withUTF8 { bytes in
            let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 2 < end,
                bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
            else { return nil }
            let start = colon + 3
            let pathStart =
                bytes[start..<end].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? end
            let at = bytes[start..<pathStart].lastIndex(of: UInt8(ascii: "@"))
            let host = Self.host(bytes[(at.map { $0 + 1 } ?? start)..<pathStart], scheme: bytes[..<colon])
            guard !host.isEmpty else { return nil }
            var result: [UInt8] = []
            result.reserveCapacity(end + 1)
            result += bytes[..<colon].lazy.map(\.asciiLowercased)
            result += "://".utf8
            result += host.lazy.map(\.asciiLowercased)
            if pathStart == end || bytes[pathStart] != UInt8(ascii: "/") { result.append(UInt8(ascii: "/")) }
            result += bytes[pathStart..<end]
            return String(decoding: result, as: UTF8.self)
        }
        guard let text else { return nil }
        self.text = ignored.isEmpty ? text : Self.leavingOut(ignored, of: text)
    }

    private static func leavingOut(_ names: Set<String>, of address: String) -> String {
        guard let question = address.firstIndex(of: "?") else { return address }
        let items = address[address.index(after: question)...].split(separator: "&", omittingEmptySubsequences: false)
        let kept = items.filter { !names.contains(String($0.prefix { $0 != "=" })) }
        guard kept.count < items.count else { return address }
        return address[..<question] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }

    private static func host(
        _ authority: Slice<UnsafeBufferPointer<UInt8>>, scheme: Slice<UnsafeBufferPointer<UInt8>>
    ) -> Slice<UnsafeBufferPointer<UInt8>> {
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")) else { return authority }
        let port = authority[(colon + 1)...]
        guard !port.isEmpty else { return authority[..<colon] }
        // One byte longer for https, and nothing else is of that length.
        let usual = scheme.count == 5 ? "443" : scheme.count == 4 ? "80" : ""
        return port.elementsEqual(usual.utf8) ? authority[..<colon] : authority
    }
}
