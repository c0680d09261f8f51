#if !canImport(Security)
    import NetCore

    extension TransportConfiguration {
        /// Foundation on Linux has no further settings.
        mutating func mapPlatformSettings(
            _ session: URLSessionConfiguration, _ usual: URLSessionConfiguration
        ) throws(NetworkError) {}
    }
#endif
