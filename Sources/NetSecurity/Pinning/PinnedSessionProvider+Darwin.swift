#if canImport(Security)
    import NetCore

    extension PinnedSessionProvider {
        static func makeSession(_ policy: PinningPolicy) -> URLSession {
            URLSession(
                configuration: .default, delegate: PinningURLSessionDelegate(policy: policy), delegateQueue: nil)
        }
    }
#endif
