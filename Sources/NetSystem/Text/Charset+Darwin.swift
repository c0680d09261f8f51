#if canImport(Darwin)
    extension Charset {
        /// The text of the bytes by CoreFoundation: `.some(nil)` if they are not text in that character set, nil if the system does not know
        /// it.
        static func convert(_ data: Data, from name: String) -> String?? {
            let encoding = CFStringConvertIANACharSetNameToEncoding((systemNames[name] ?? name) as CFString)
            guard encoding != kCFStringEncodingInvalidId else { return nil }
            let converted = CFStringConvertEncodingToNSStringEncoding(encoding)
            guard converted != UInt(kCFStringEncodingInvalidId) else { return nil }
            return .some(String(data: data, encoding: String.Encoding(rawValue: converted)))
        }

        /// Where CoreFoundation has another name than the registry.
        private static let systemNames = ["windows-31j": "cp932"]
    }
#endif
