/// What a transfer of a background session does otherwise: it outlives the process that made it.
extension URLSessionTask {
    /// Waits for that date, unless the task is cancelled: "For tasks created from nonbackground URLSession instances, this property has no
    /// effect."
    func awaitEarliestBegin() {
        guard session.background != nil, let date = earliestBeginDate else { return }
        condition.withLock {
            // Foundation on Linux traps for a date that is far away.
            while date > Date(), !isCancelledWithLock {
                _ = condition.wait(until: min(date, Date(timeIntervalSinceNow: 60)))
            }
        }
    }

    /// Takes over what another process had begun.
    func inherit(from worker: URLSessionTask, description: String?) {
        let facts = worker.sync { facts in
            facts.successor = self
            return facts
        }
        sync { own in
            own = facts
            (own.worker, own.successor, own.wake, own.delegate) = (worker, nil, nil, nil)
            own.isStarted = true
            own.description = description
        }
    }

    /// The end of a background transfer: its process hears of it, or the next one will.
    func tellBackgroundCompletion(_ ended: BackgroundTransfers.Ended) {
        if session.background?.keep(self, ended) == true { return }
        face.hear(ended, from: self)
    }

    /// Tells how it ended, on the thread of the task that worked for it.
    func hear(_ ended: BackgroundTransfers.Ended, from worker: URLSessionTask) {
        if worker !== self {
            let (response, received, sent) = worker.sync { ($0.response, $0.received, $0.sent) }
            sync { facts in
                (facts.response, facts.received, facts.sent) = (response, received, sent)
                (facts.state, facts.error) = (.completed, ended.error)
            }
        }
        deliver(ended, from: worker)
        if !(self is URLSessionDownloadTask) {
            session.tellTask(self) { $0.urlSession(self.session, task: self, didCompleteWithError: ended.error) }
        }
        guard worker !== self else { return }
        if session.state.remove(self) { session.tellInvalid() }
        session.background?.settle(session)
    }
}

extension URLSession {
    /// What Apple's sessions throw exceptions of Objective-C for, which nobody can catch in Swift. The texts stand in many reports of crashes.
    func requireBackgroundForm(_ sink: TaskSink, body: UploadSource? = nil) {
        guard background != nil else { return }
        guard case .delegate = sink else {
            fatalError("Completion handler blocks are not supported in background sessions. Use a delegate instead.")
        }
        guard let body else { return }
        guard case .file(let url) = body else { fatalError("Upload tasks in background sessions must be from a file") }
        guard FileManager.default.isReadableFile(atPath: url.path) else { fatalError("Cannot read file at \(url)") }
    }

    /// As ``requireBackgroundForm(_:body:)``, for the data of a download.
    func requireBackgroundForm(_ resuming: ResumeData?) {
        guard background != nil, resuming == nil else { return }
        fatalError(
            "Invalid resume data for background download. Background downloads must use http or https and must download to an "
                + "accessible file.")
    }
}
