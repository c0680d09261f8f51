/// What caches know of status codes.
enum StatusRules {
    /// Those whose responses may be stored and reused without being told so (RFC 9110, section 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Those of which this cache knows what storing them takes, as `must-understand` asks (RFC 9111, section 5.2.2.3): all that
    /// RFC 9110 defines, and 421, 422, 425, 428, 429, 431, 451 and 511. 304 and 416 are answers to one request alone.
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...303, 305, 307, 308, 400...411, 413...415, 417, 421, 422, 425, 426, 428, 429, 431, 451,
            500...505, 511:
            true
        default: false
        }
    }

    /// Errors that a stale response may stand in for (RFC 5861, section 4).
    static func isServerError(_ status: Int) -> Bool {
        switch status {
        case 500, 502, 503, 504: true
        default: false
        }
    }

    /// Whether an answer of that status, to a GET, says that what is stored is out of date, even if it cannot be stored itself.
    /// One that only says "not now" does not.
    static func supersedes(_ status: Int) -> Bool {
        switch status {
        case 206, 304, 408, 412, 416, 425, 429: false
        default: status < 500
        }
    }
}
