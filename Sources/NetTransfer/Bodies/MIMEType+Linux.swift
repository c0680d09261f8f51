#if !canImport(UniformTypeIdentifiers)
    import NetCore

    extension MIMEType {
        /// Looks an extension up in `/etc/mime.types`. The file is read once, at the first call.
        static func systemType(forExtension fileExtension: String) -> String? { systemTable[fileExtension] }

        private static let systemTable: [String: String] = {
            guard let file = FileManager.default.contents(atPath: "/etc/mime.types") else { return [:] }
            return parse(String(decoding: file, as: UTF8.self))
        }()

        /// Reads lines of a type and its extensions. If an extension is repeated, the first type wins.
        package static func parse(_ text: String) -> [String: String] {
            var table: [String: String] = [:]
            for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
                let words = line.split(whereSeparator: \.isWhitespace)
                guard let type = words.first, type.contains("/") else { continue }
                for name in words.dropFirst().map({ String($0).asciiLowercased }) where table[name] == nil {
                    table[name] = String(type)
                }
            }
            return table
        }
    }
#endif
