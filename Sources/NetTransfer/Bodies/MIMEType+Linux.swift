#if !canImport(UniformTypeIdentifiers)
    import NetCore

    extension MIMEType {
        /// By `/etc/mime.types`, where there is one. It is read once, when the first extension is looked for there.
        static func systemType(forExtension fileExtension: String) -> String? {
            systemTable[fileExtension]
        }

        private static let systemTable: [String: String] = {
            guard let file = FileManager.default.contents(atPath: "/etc/mime.types") else { return [:] }
            return parse(String(decoding: file, as: UTF8.self))
        }()

        /// Reads lines of a type and its extensions; of an extension that is there twice the first stands.
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
