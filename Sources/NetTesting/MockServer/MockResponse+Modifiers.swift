public import NetCore

extension MockResponse {
    private func with(_ change: (inout MockResponse) -> Void) -> MockResponse {
        var copy = self
        change(&copy)
        return copy
    }

    /// With this status.
    public func status(_ status: Int, reason: String? = nil) -> MockResponse {
        with {
            $0.status = status
            $0.reasonPhrase = reason
        }
    }

    /// With this field, replacing those of the same name.
    public func header(_ name: String, _ value: String) -> MockResponse {
        with { $0.headers.add(name: name, value: value) }
    }

    /// With this field besides those of the same name, as for `Set-Cookie`.
    public func addingHeader(_ name: String, _ value: String) -> MockResponse {
        with { $0.headers.append(name: name, value: value) }
    }

    /// Sent that many seconds after the request.
    public func delayed(by seconds: TimeInterval) -> MockResponse {
        with { $0.delay = seconds }
    }

    /// With a body that is sent at most that fast.
    public func throttled(bytesPerSecond: Int) -> MockResponse {
        with { $0.pace = .steady(bytesPerSecond: bytesPerSecond) }
    }

    /// With a body that is sent in bursts: that many bytes, a pause of that many seconds, and so on.
    public func throttled(bytes: Int, every period: TimeInterval) -> MockResponse {
        with { $0.pace = Pace(bytes: bytes, period: period) }
    }

    /// With the end of the body marked like that.
    public func framed(_ framing: Framing) -> MockResponse {
        with { $0.framing = framing }
    }

    /// After an interim response, such as 103 Early Hints. Can be used several times.
    public func preceded(by status: Int, headers: HTTPHeaders = [:]) -> MockResponse {
        with { $0.interim.append(Interim(status: status, headers: headers)) }
    }

    /// With these fields behind the body (RFC 9110, section 6.5). Only HTTP/2 sends them.
    public func trailers(_ trailers: HTTPHeaders) -> MockResponse {
        with { $0.trailers = trailers }
    }

    /// The connection is closed behind the response.
    public func closingConnection(_ closes: Bool = true) -> MockResponse {
        with { $0.closesConnection = closes }
    }

    /// Something goes wrong on purpose.
    public func fault(_ fault: MockFault?) -> MockResponse {
        with { $0.fault = fault }
    }

    /// Something goes wrong on purpose over HTTP/2. Over HTTP/1.1 the response is sent as it is.
    ///
    /// The head has no `content-length` unless the response has that field. A response without a body gets 1,000 bytes.
    ///
    /// - Parameters:
    ///   - fault: what goes wrong.
    ///   - point: when.
    ///   - delay: the seconds between what is sent before the fault and the fault. Without a delay, clients read both at once, and some
    ///     behave differently.
    public func fault(
        http2 fault: MockHTTP2Fault, at point: MockHTTP2Fault.Point = .afterHead, after delay: TimeInterval = 0
    ) -> MockResponse {
        with { $0.http2Fault = MockHTTP2Fault.Strike(fault, at: point, after: delay) }
    }

    /// Sent as soon as the head of the request is there; the body is not waited for, and the connection is closed behind it. A
    /// client that sent `Expect: 100-continue` gets this status and no 100.
    ///
    /// It works where the response is known by then: scripted, or on a route without a closure. A closure is asked when the
    /// whole request is there.
    public func beforeRequestBody() -> MockResponse {
        with { $0.answersBeforeRequestBody = true }
    }

    /// The body of the request is read at most that fast, so that a client feels back-pressure. Like
    /// ``beforeRequestBody()``, for responses that are known when the head is there.
    public func readingRequest(bytesPerSecond: Int) -> MockResponse {
        with { $0.requestBytesPerSecond = max(1, bytesPerSecond) }
    }
}
