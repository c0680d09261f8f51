/// Harness only: servers that this "device" has no network for. `URLSession` fails with -1009 then, or waits if its configuration says so.
///
/// ```swift
/// FakeConnectivity.cut(port: server.port, .expensive)
/// FakeConnectivity.restore(port: server.port)
/// ```
public enum FakeConnectivity {
    /// Why there is no network.
    public enum Reason: Sendable {
        case offline
        /// https://developer.apple.com/documentation/foundation/urlerror/networkunavailablereason-swift.enum
        case cellular, expensive, constrained
        /// The user does not let the app into the local network.
        case localNetworkProhibited
    }

    private static let lock = NSLock()
    private nonisolated(unsafe) static var reasons: [Int: Reason] = [:]

    public static func cut(port: Int, _ reason: Reason = .offline) { lock.withLock { reasons[port] = reason } }
    public static func restore(port: Int) { lock.withLock { reasons[port] = nil } }

    static func reason(_ url: URL?) -> Reason? {
        guard let port = url?.effectivePort else { return nil }
        return lock.withLock { reasons[port] }
    }

    /// As Apple's loader reports it. The description of the path is not documented; it stands in the logs of many apps.
    static func error(_ reason: Reason, _ task: URLSessionTask) -> URLError {
        var info = LoadErrors.make(.notConnectedToInternet, task, posix: ENETDOWN).userInfo
        let numbers: [Reason: Int] = [.cellular: 0, .expensive: 1, .constrained: 2]
        info["NSURLErrorNetworkUnavailableReasonKey"] = numbers[reason]
        let isLocal = reason == .localNetworkProhibited
        let what = isLocal ? "(Local network prohibited), interface: en0, ipv4, dns" : "(No network route)"
        info[NSUnderlyingErrorKey] = NSError(
            domain: "kCFErrorDomainCFNetwork", code: URLError.notConnectedToInternet.rawValue,
            userInfo: [
                "_NSURLErrorNWPathKey": "unsatisfied \(what)", "_kCFStreamErrorDomainKey": 1,
                "_kCFStreamErrorCodeKey": Int(ENETDOWN),
            ])
        return URLError(.notConnectedToInternet, userInfo: info)
    }
}

extension HTTPLoad {
    /// https://developer.apple.com/documentation/foundation/urlsessionconfiguration/waitsforconnectivity
    ///
    /// Waits until there is a network. The time-out of the request does not run meanwhile, that of the resource does.
    func awaitConnectivity() throws {
        guard let reason = FakeConnectivity.reason(request.url) else { return }
        guard session.settings.waitsForConnectivity else { throw FakeConnectivity.error(reason, task) }
        session.tellTask(task) { [session, task] in $0.urlSession(session, taskIsWaitingForConnectivity: task) }
        while FakeConnectivity.reason(request.url) != nil {
            if task.sync(\.isCancelled) { throw task.cancellation }
            guard Date().timeIntervalSince(begin) < session.settings.timeoutIntervalForResource else {
                throw error(.timedOut)
            }
            usleep(1000)
        }
    }
}
