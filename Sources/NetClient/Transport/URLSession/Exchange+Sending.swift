/// What the session's delegate hears of the request's body.
extension Exchange {
    func didSend(_ count: Int64) {
        let progress: TransportProgress? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.lastActivity = ExchangeTimer.now
            state.progress.bytesSent += count
            if state.head == nil { state.phase = state.progress.bytesSent == upload.length ? .waiting : .sending }
            return state.progress
        }
        if let progress { reportProgress?(progress) }
    }

    /// The stream of the request's body; nil if there is none.
    func makeBodyStream() -> InputStream? {
        guard case .stream(let body) = upload.kind else {
            if case .none = upload.kind { return nil }
            stop(URLSessionPlatform.errorForRewind(of: self))
            return nil
        }
        let isFirst = state.withLock { state in
            defer { state.hasGivenStream = true }
            return !state.hasGivenStream
        }
        if !isFirst && !(URLSessionPlatform.canRestartStreams && body.isReplayable) {
            stop(URLSessionPlatform.errorForRewind(of: self))
            return nil
        }
        return makeStream(of: body)
    }
}
