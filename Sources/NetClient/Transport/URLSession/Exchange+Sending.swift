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
        return pump(body)
    }

    private func pump(_ body: HTTPBody) -> InputStream? {
        guard let pipe = UploadPipe() else { return nil }
        let task = Task { [weak self] in
            do {
                try await UploadPump(body: body, pipe: pipe).run()
            } catch {
                // First the exchange: the end of the stream must not look like the end of the body.
                self?.stop(TransportError.ofBody(error, url: self?.url))
                pipe.fail()
            }
        }
        let old: (Task<Void, Never>?, UploadPipe?) = state.withLock { state in
            if state.end != nil { return (task, pipe) }
            defer { (state.pump, state.pipe) = (task, pipe) }
            return (state.pump, state.pipe)
        }
        old.0?.cancel()
        old.1?.fail()
        return pipe.input
    }
}
