/// What the session's delegate hears of the response.
extension Exchange {
    func didReceive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        // libcurl shows interim responses (RFC 9110, section 15.2) like others; Apple's loader keeps them to itself.
        guard response.statusCode >= 200 || response.statusCode == 101 else { return noteActivity() }
        do throws(ResponseHead.Flaw) {
            let head = try ResponseHead(response, method: method, headerLimit: limits.headerBytes)
            try accept(head)
        } catch {
            stop(self.error(for: error))
        }
    }

    private func error(for flaw: ResponseHead.Flaw) -> TransportError {
        switch flaw {
        case .tooLarge:
            error(.headersTooLarge, "The header section is over \(limits.headerBytes) bytes.", phase: .receivingHead)
        case .conflictingLengths(let text):
            error(.conflictingLengths, "Content-Length says \(text).", phase: .receivingHead)
        }
    }

    private func accept(_ head: ResponseHead) throws(ResponseHead.Flaw) {
        if case .collected(let limit) = delivery, let length = head.bodyLength, length > Int64(limit) {
            return stop(NetworkError.responseTooLarge(limit: limit))
        }
        state.withLock { state in
            state.lastActivity = ExchangeTimer.now
            state.head = head
            state.phase = .receivingBody
            state.progress.bytesToReceive = head.bodyLength
            if case .collected(let limit) = delivery, let length = head.bodyLength {
                state.buffer.reserveCapacity(min(limit, Int(length)))
            }
            updateMetrics(of: &state) { $0.firstByte = $1 }
        }
        if !defersHead { deliverHead() }
    }

    /// Gives the head of a streamed response to the caller, once.
    private func deliverHead() {
        guard case .streamed = delivery else { return }
        let (waiter, head, version) = state.withLock { state in
            guard let head = state.head, let waiter = state.waiter, state.end == nil else {
                return (nil as CheckedContinuation<TransportResponse, any Error>?, nil as ResponseHead?, state.version)
            }
            state.waiter = nil
            state.isHeadDelivered = true
            return (waiter, head, state.version)
        }
        guard let waiter, let head else { return }
        waiter.resume(returning: response(head, body: streamedBody(length: head.bodyLength), version: version))
    }

    func didReceive(_ data: Data) {
        let (failure, progress, reader, chunk) = state.withLock { state in
            guard state.end == nil else {
                return (
                    nil as (any Error)?, nil as TransportProgress?, nil as CheckedContinuation<Data?, any Error>?,
                    Data()
                )
            }
            state.lastActivity = ExchangeTimer.now
            state.progress.bytesReceived += Int64(data.count)
            if let limit = limit(for: state.head), state.progress.bytesReceived > Int64(limit) {
                return (NetworkError.responseTooLarge(limit: limit), nil, nil, Data())
            }
            state.buffer.append(data)
            guard case .streamed = delivery, let reader = state.reader else {
                return (nil, state.progress, nil, Data())
            }
            let chunk = state.buffer
            state.buffer = Data()
            state.reader = nil
            return (nil, state.progress, reader, chunk)
        }
        if let failure { return stop(failure) }
        if let progress { reportProgress?(progress) }
        deliverHead()
        reader?.resume(returning: chunk)
        updateFlow()
    }

    private func limit(for head: ResponseHead?) -> Int? {
        let decoded = head?.isContentEncoded == true ? limits.decodedBodyBytes : nil
        guard case .collected(let limit) = delivery else { return decoded }
        return min(limit, decoded ?? limit)
    }

    /// Redirects are an interceptor's work.
    func refuseRedirect(_ answer: @Sendable (URLRequest?) -> Void) {
        guard URLSessionPlatform.abortsOnLateRedirectAnswer else { return answer(nil) }
        // Answered under the lock, so that it comes before a cancellation or not at all. It only queues a block.
        state.withLock { state in
            if state.end == nil { answer(nil) }
        }
    }

    func didComplete(_ failure: (any Error)?, response: URLResponse?) {
        if let failure {
            let (phase, hasHead) = state.withLock { ($0.phase, $0.head != nil) }
            return _ = finish(.failure(URLSessionErrors.map(failure, phase: phase, hasHead: hasHead, url: url)))
        }
        // A redirect without `Location` is not announced on Linux.
        if state.withLock({ $0.head == nil && $0.end == nil }), let response { didReceive(response) }
        finishReceived()
    }

    /// What was received stands as the response.
    func finishReceived() {
        let (head, received) = state.withLock { ($0.head, $0.progress.bytesReceived) }
        if let head, let length = head.bodyLength, received != length, !URLSessionPlatform.dropsBody(of: head) {
            let text = "The body ended after \(received) of \(length) bytes."
            finish(.failure(error(.truncatedBody, text, phase: .receivingBody)))
            return
        }
        deliverHead()
        finish(.success(()))
    }

    func noteActivity() {
        state.withLock { $0.lastActivity = ExchangeTimer.now }
    }
}
