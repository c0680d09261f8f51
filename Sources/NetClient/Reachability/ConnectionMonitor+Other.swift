#if !os(Linux) && !canImport(Network)
    import NetCore

    /// The source of a platform of which we read no news, such as Android, which keeps apps from netlink.
    func platformStatusSource() -> any StatusSource { SilentSource() }

    /// Says once that nothing is known, which keeps nobody from trying.
    struct SilentSource: StatusSource {
        func start(_ report: @escaping @Sendable (ConnectionStatus) -> Void) { report(.unknown) }
        func stop() {}
    }
#endif
