import NetCore

/// What a ``CachePolicy`` can store, over a store that keeps bodies only.
enum PolicyRules {
    /// The fields of requests that do not ask for the whole resource, in lower case.
    static let excludedFields: Set<String> = [
        "range", "accept-encoding", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]

    /// The header fields to keep: `Date`, and `Vary` with the fields that tell requests of this owner apart.
    static func storable(_ headers: HTTPHeaders, _ request: CacheRequest) -> HTTPHeaders {
        var kept = HTTPHeaders(headers.filter { $0.name.equalsIgnoringASCIICase("Date") })
        // The body is stored decoded, and a request that names codings itself takes no part.
        let names = (Variants.fields(of: headers) ?? []).filter { $0 != "accept-encoding" && !request.isInIdentity($0) }
        if !names.isEmpty { kept["Vary"] = names.joined(separator: ", ") }
        return kept
    }

    /// Returns why the response cannot be stored, or nil.
    static func refusal(of response: TransportResponse, delivery: RequestContext.Delivery) -> String? {
        guard case .collected = delivery else { return "streamed" }
        guard response.status == 200 else { return "status" }
        // A hit has no such field. A reader would take the encoded bytes for text.
        guard !response.headers.contains(name: "Content-Encoding") else { return "content-encoding" }
        guard let name = response.headers["Content-Type"].flatMap(Charset.parameter(in:)) else { return nil }
        return ["utf-8", "us-ascii"].contains(Charset(named: name)?.name) ? nil : "charset"
    }
}
