package import NetCore

/// A response over HTTP/2, cut at the point of a fault.
package struct HTTP2Response {
    package let head: [HTTPHeader]
    package let isBeforeHead: Bool
    /// The steps before the fault.
    package let before: [Step]
    /// The body after the fault.
    package let body: [Step]
    /// Trailers and END_STREAM.
    package let end: [Step]

    /// The steps after the fault.
    package var rest: [Step] { (isBeforeHead ? [.headers(head)] : []) + body + end }

    /// Returns the response with another head, in place of its own or after it.
    package func replacingHead(_ change: ([HTTPHeader]) -> [HTTPHeader]) -> [Step] {
        before + [.headers(change(head))] + body + end
    }
}
