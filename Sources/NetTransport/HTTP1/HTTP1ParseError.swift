#if os(Linux)
    import NetCore

    /// The reason why a response is refused. The connection must be closed.
    package enum HTTP1ParseError: Error, Hashable, Sendable, CaseIterable {
        case notHTTP, looksLikeTLS, unsupportedVersion, invalidStatus, invalidStatusLine
        case invalidFieldName, blankBeforeColon, bareCarriageReturn, nulInValue, foldedFirstLine, foldedFraming
        case invalidContentLength, differingContentLengths, lengthAndTransferCoding, unknownTransferCoding
        case headTooLarge, tooManyFields, tooManyInterimResponses
        case invalidChunkSize, chunkSizeOverflow, invalidChunkExtension, chunkLineTooLong, missingChunkEnd
        case closedBeforeResponse, closedWithinHead, closedWithinBody

        var code: TransportError.Code {
            switch self {
            case .notHTTP, .looksLikeTLS, .unsupportedVersion, .invalidStatus, .invalidStatusLine: .malformedStatusLine
            case .invalidFieldName, .blankBeforeColon, .bareCarriageReturn, .nulInValue, .foldedFirstLine,
                .foldedFraming,
                .invalidContentLength, .unknownTransferCoding:
                .malformedHeader
            case .differingContentLengths, .lengthAndTransferCoding: .conflictingLengths
            case .headTooLarge, .tooManyFields, .tooManyInterimResponses: .headersTooLarge
            case .invalidChunkSize, .chunkSizeOverflow, .invalidChunkExtension, .chunkLineTooLong, .missingChunkEnd:
                .malformedChunk
            case .closedBeforeResponse, .closedWithinHead: .connectionLost
            case .closedWithinBody: .truncatedBody
            }
        }

        /// One sentence for developers.
        package var message: String {
            switch self {
            case .notHTTP: "The response does not start with an HTTP status line."
            case .looksLikeTLS: "The response is a TLS record and not an HTTP status line."
            case .unsupportedVersion: "The status line has a version other than HTTP/1.0 and HTTP/1.1."
            case .invalidStatus: "The status code is not a number from 100 to 599."
            case .invalidStatusLine: "The status line contains a NUL or a carriage return."
            case .invalidFieldName: "A header line does not start with a field name and a colon."
            case .blankBeforeColon: "A header line has a blank between the field name and the colon."
            case .bareCarriageReturn: "A header line contains a carriage return that does not end it."
            case .nulInValue: "A field value contains a NUL."
            case .foldedFirstLine: "The header section starts with a folded line."
            case .foldedFraming: "Content-Length or Transfer-Encoding is folded over several lines."
            case .invalidContentLength: "Content-Length is not a number."
            case .differingContentLengths: "The response declares several lengths that differ."
            case .lengthAndTransferCoding: "The response has both Content-Length and Transfer-Encoding."
            case .unknownTransferCoding: "The response has a transfer coding that was not requested."
            case .headTooLarge: "The header section and trailers are over the limit."
            case .tooManyFields: "The response has too many header lines."
            case .tooManyInterimResponses: "The server sent too many interim responses."
            case .invalidChunkSize: "A chunk does not start with a hexadecimal size."
            case .chunkSizeOverflow: "The size of a chunk is over 2^63 bytes."
            case .invalidChunkExtension: "A chunk extension contains a control character."
            case .chunkLineTooLong: "The line with the size of a chunk is over the limit."
            case .missingChunkEnd: "A line with the size of a chunk, or a chunk, does not end with CRLF."
            case .closedBeforeResponse: "The connection was closed before any byte of a response."
            case .closedWithinHead: "The connection was closed before the head was complete."
            case .closedWithinBody: "The connection was closed before the body was complete."
            }
        }

        /// Whether the server answered with TLS, so that the port is probably one for https.
        package var expectsTLS: Bool { self == .looksLikeTLS }
    }
#endif
