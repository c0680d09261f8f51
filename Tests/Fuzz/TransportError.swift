/// Stands for NetCore's type, of which the parser of HTTP/1.1 needs the codes.
package struct TransportError {
    package enum Code {
        case malformedStatusLine, malformedHeader, conflictingLengths, headersTooLarge, malformedChunk, connectionLost,
            truncatedBody
    }
}
