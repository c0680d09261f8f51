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

        var code: TransportError.Code { facts.code }

        /// One sentence for developers.
        package var message: String { facts.message }

        private var facts: (code: TransportError.Code, message: String) {
            switch self {
            case .notHTTP: (.malformedStatusLine, "The response does not start with an HTTP status line.")
            case .looksLikeTLS: (.malformedStatusLine, "The response is a TLS record and not an HTTP status line.")
            case .unsupportedVersion:
                (.malformedStatusLine, "The status line has a version other than HTTP/1.0 and HTTP/1.1.")
            case .invalidStatus: (.malformedStatusLine, "The status code is not a number from 100 to 599.")
            case .invalidStatusLine: (.malformedStatusLine, "The status line contains a NUL or a carriage return.")
            case .invalidFieldName: (.malformedHeader, "A header line does not start with a field name and a colon.")
            case .blankBeforeColon:
                (.malformedHeader, "A header line has a blank between the field name and the colon.")
            case .bareCarriageReturn:
                (.malformedHeader, "A header line contains a carriage return that does not end it.")
            case .nulInValue: (.malformedHeader, "A field value contains a NUL.")
            case .foldedFirstLine: (.malformedHeader, "The header section starts with a folded line.")
            case .foldedFraming: (.malformedHeader, "Content-Length or Transfer-Encoding is folded over several lines.")
            case .invalidContentLength: (.malformedHeader, "Content-Length is not a number.")
            case .differingContentLengths: (.conflictingLengths, "The response declares several lengths that differ.")
            case .lengthAndTransferCoding:
                (.conflictingLengths, "The response has both Content-Length and Transfer-Encoding.")
            case .unknownTransferCoding:
                (.malformedHeader, "The response has a transfer coding that was not requested.")
            case .headTooLarge: (.headersTooLarge, "The header section and trailers are over the limit.")
            case .tooManyFields: (.headersTooLarge, "The response has too many header lines.")
            case .tooManyInterimResponses: (.headersTooLarge, "The server sent too many interim responses.")
            case .invalidChunkSize: (.malformedChunk, "A chunk does not start with a hexadecimal size.")
            case .chunkSizeOverflow: (.malformedChunk, "The size of a chunk is over 2^63 bytes.")
            case .invalidChunkExtension: (.malformedChunk, "A chunk extension contains a control character.")
            case .chunkLineTooLong: (.malformedChunk, "The line with the size of a chunk is over the limit.")
            case .missingChunkEnd:
                (.malformedChunk, "A line with the size of a chunk, or a chunk, does not end with CRLF.")
            case .closedBeforeResponse: (.connectionLost, "The connection was closed before any byte of a response.")
            case .closedWithinHead: (.connectionLost, "The connection was closed before the head was complete.")
            case .closedWithinBody: (.truncatedBody, "The connection was closed before the body was complete.")
            }
        }
    }
#endif
