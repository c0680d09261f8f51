#if canImport(Darwin)
    extension Charset {
        /// Decodes with CoreFoundation. `.some(nil)` if the bytes are invalid, nil if the system does not support the character set.
        static func convert(_ data: Data, from name: String) -> String?? {
            let encoding = CFStringConvertIANACharSetNameToEncoding((systemNames[name] ?? name) as CFString)
            guard encoding != kCFStringEncodingInvalidId else { return nil }
            let converted = CFStringConvertEncodingToNSStringEncoding(encoding)
            guard converted != UInt(kCFStringEncodingInvalidId) else { return nil }
            return .some(String(data: data, encoding: String.Encoding(rawValue: converted)))
        }

        /// CoreFoundation's names that differ from the registry's.
        private static let systemNames = ["windows-31j": "cp932"]
    }
#endif
