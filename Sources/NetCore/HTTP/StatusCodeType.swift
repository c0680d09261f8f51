/// The class of a status code (RFC 9110, section 15), so that code can say "client error" and not `400..<500`.
public enum StatusCodeType: Hashable, Sendable, CaseIterable {
    /// 100 to 199: an interim response; the final one is still to come.
    case informational
    /// 200 to 299: received, understood and accepted.
    case successful
    /// 300 to 399: something more must be done, usually by following `Location`.
    case redirection
    /// 400 to 499: the request is at fault.
    case clientError
    /// 500 to 599: the server failed to fulfil a request that looked valid.
    case serverError
    /// `-999`, the code of `URLError.cancelled`: stopped on this side.
    case cancelled
    /// Any other number.
    case unknown

    /// The class of a code.
    public init(statusCode: Int) {
        switch statusCode {
        case 100..<200: self = .informational
        case 200..<300: self = .successful
        case 300..<400: self = .redirection
        case 400..<500: self = .clientError
        case 500..<600: self = .serverError
        case -999: self = .cancelled
        default: self = .unknown
        }
    }
}

extension Int {
    /// The class of this number as a status code.
    public var statusCodeType: StatusCodeType { StatusCodeType(statusCode: self) }
}
