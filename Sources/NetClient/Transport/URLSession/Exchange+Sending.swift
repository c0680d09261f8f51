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
                // First the exchange: the task fails as soon as its stream does, and knows less about it.
                self?.stop(TransportError.ofBody(error, url: self?.url))
                pipe.fail()
            }
        }
        // In place of the one of the attempt before, if there was one.
        let (oldPump, oldPipe, hasEnded) = state.withLock { state in
            defer { (state.pump, state.pipe) = (task, pipe) }
            return (state.pump, state.pipe, state.end != nil)
        }
        oldPump?.cancel()
        oldPipe?.fail()
        if hasEnded {
            task.cancel()
            pipe.fail()
        }
        return pipe.input
    }
}
