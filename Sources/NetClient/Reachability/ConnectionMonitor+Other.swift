#if !os(Linux) && !canImport(Network)
    /// The source of a platform of which we read no news, such as Android, which keeps apps from netlink.
    func platformStatusSource() -> any StatusSource { SilentSource() }
#endif
