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
        let delivered = state.withLock { state in
            guard state.end == nil, let head = state.head, let waiter = state.waiter else {
                return nil as (CheckedContinuation<TransportResponse, any Error>, ResponseHead, HTTPVersion)?
            }
            state.waiter = nil
            return (waiter, head, state.version)
        }
        guard let (waiter, head, version) = delivered else { return }
        waiter.resume(returning: response(head, body: streamedBody(length: head.bodyLength), version: version))
    }

    func didReceive(_ data: Data) {
        let outcome: Chunk = state.withLock { state in
            guard state.end == nil else { return .ignored }
            state.lastActivity = ExchangeTimer.now
            state.progress.bytesReceived += Int64(data.count)
            if let limit = limit(for: state.head), state.progress.bytesReceived > Int64(limit) {
                return .tooMuch(limit: limit)
            }
            state.buffer.append(data)
            guard case .streamed = delivery, let reader = state.reader else { return .kept(state.progress) }
            defer { (state.buffer, state.reader) = (Data(), nil) }
            return .wanted(state.buffer, reader, state.progress)
        }
        switch outcome {
        case .ignored: return
        case .tooMuch(let limit): return stop(NetworkError.responseTooLarge(limit: limit))
        case .kept(let progress): reportProgress?(progress)
        case .wanted(let chunk, let reader, let progress):
            reportProgress?(progress)
            reader.resume(returning: chunk)
        }
        deliverHead()
        updateFlow()
    }

    /// What becomes of a chunk of the body.
    private enum Chunk {
        case ignored
        case tooMuch(limit: Int)
        case kept(TransportProgress)
        case wanted(Data, CheckedContinuation<Data?, any Error>, TransportProgress)
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
