internal import NetCore

/// Certificates in text (RFC 7468).
enum PEM {
    /// The certificates in a file: itself if it is DER, or what stands in its blocks.
    static func certificates(in data: Data) throws(CertificateError) -> [Data] {
        // A sequence of more than 127 bytes. In text the second one would be ASCII.
        if data.first == DERReader.Tag.sequence, let second = data.dropFirst().first, second >= 0x80 { return [data] }
        var blocks: [Data] = []
        var rest = data[...]
        while let start = rest.range(of: begin) {
            guard let stop = rest.range(of: end, in: start.upperBound..<rest.endIndex) else {
                throw .malformed("no -----END CERTIFICATE-----", offset: rest.endIndex - data.startIndex)
            }
            let lines = rest[start.upperBound..<stop.lowerBound].filter {
                !$0.isHTTPWhitespace && $0 != 0x0A && $0 != 0x0D
            }
            guard let block = Data(base64Encoded: Data(lines)) else {
                throw .malformed("no base64", offset: start.upperBound - data.startIndex)
            }
            blocks.append(block)
            rest = rest[stop.upperBound...]
        }
        guard !blocks.isEmpty else { throw .empty }
        return blocks
    }

    private static let begin = Data("-----BEGIN CERTIFICATE-----".utf8)
    private static let end = Data("-----END CERTIFICATE-----".utf8)
}
