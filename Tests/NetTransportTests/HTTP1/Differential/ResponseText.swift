#if os(Linux)
    import Foundation

    /// The parts of a response, for the conditions of ``KnownDifference``. It reads the text in the plainest way and refuses nothing, so that
    /// it has no rule in common with the parser.
    struct ResponseText {
        let text: String
        let isHead: Bool
        /// The number of empty lines before the first head, and the number of those before later heads.
        private(set) var emptyLines = (first: 0, later: 0)
        /// The lines of all heads up to the final one, without LF. Most end with CR. Each head has its empty line at its end.
        private(set) var heads: [[String]] = []
        /// The lines with the sizes of chunks, without LF, if what follows the heads is chunked.
        private(set) var chunkLines: [String] = []
        /// The lines after the last chunk up to the empty one, without LF.
        private(set) var trailers: [String] = []

        init(_ response: GeneratedResponse) {
            text = latin1(response.bytes[...])
            isHead = response.isHead
            var rest = response.bytes[...]
            while let lines = Self.head(&rest), !lines.isEmpty {
                if lines.count == 1 {
                    if heads.isEmpty { emptyLines.first += 1 } else { emptyLines.later += 1 }
                } else {
                    heads.append(lines)
                    guard status.hasPrefix("1"), !status.hasPrefix("101") else { break }
                }
            }
            readChunks(rest)
        }

        private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
            guard let end = rest.firstIndex(of: 0x0A) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return latin1(rest[..<end])
        }

        /// The lines up to an empty one, which is the last element.
        private static func head(_ rest: inout ArraySlice<UInt8>) -> [String]? {
            var lines: [String] = []
            while let line = line(&rest) {
                lines.append(line)
                if line.isEmpty || line == "\r" { return lines }
            }
            return lines
        }

        private mutating func readChunks(_ bytes: ArraySlice<UInt8>) {
            var rest = bytes
            while let line = Self.line(&rest) {
                chunkLines.append(line)
                let digits = line.prefix { $0.isHexDigit && $0.isASCII }
                let size = UInt32(digits.drop { $0 == "0" }, radix: 16).map(Int.init)
                if size == nil {
                    if !digits.isEmpty, digits.allSatisfy({ $0 == "0" }) { trailers = Self.head(&rest) ?? [] }
                    return
                }
                rest = rest.dropFirst((size ?? 0) + 2)
            }
        }

        /// The lines of the final head.
        var head: [String] { heads.last ?? [] }
        /// The status line of the final head.
        var statusLine: String { head.first ?? "" }
        /// What follows the version in the final head.
        var status: Substring { statusLine.split(separator: " ", maxSplits: 1).dropFirst().first ?? "" }
        /// All lines of all heads.
        var lines: [String] { heads.flatMap { $0 } }
        /// The field lines of all heads and of the trailers, and the empty lines.
        var fieldLines: [String] { heads.flatMap { $0.dropFirst() } + trailers }
        /// The heads before the final one.
        var interims: ArraySlice<[String]> { heads.dropLast() }
        /// The transfer codings of the final head, in lower case.
        var codings: [String] {
            values("transfer-encoding").flatMap { $0.lowercased().split(separator: ",") }.map(\.trimmed)
        }

        /// The values of the fields with that name in the final head, without blanks around them. A name may have blanks after it.
        func values(_ name: String) -> [String] { Self.values(name, in: head.dropFirst()) }

        /// Whether a list in one of the fields with that name has that element.
        static func has(_ member: String, in name: String, of lines: some Sequence<String>) -> Bool {
            values(name, in: lines).contains { $0.lowercased().split(separator: ",").contains { $0.trimmed == member } }
        }

        /// Whether a field with that name is continued in the next line.
        func isFolded(_ names: String...) -> Bool {
            zip(lines, lines.dropFirst()).contains { line, next in
                next.isFold && names.contains { line.lowercased().hasPrefix($0 + ":") }
            }
        }

        static func values(_ name: String, in lines: some Sequence<String>) -> [String] {
            lines.compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].lowercased().trimmed == name else { return nil }
                return parts[1].trimmed
            }
        }
    }

    /// The text of bytes in ISO-8859-1.
    func latin1(_ bytes: some Collection<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    extension StringProtocol {
        /// The text without spaces, tabs and carriage returns around it.
        var trimmed: String { trimmingCharacters(in: CharacterSet(charactersIn: " \t\r")) }

        /// Whether one of these characters is in the text, each one by itself.
        func has(_ scalars: Set<Unicode.Scalar>) -> Bool { unicodeScalars.contains { scalars.contains($0) } }
        /// Whether a line begins with a blank, so that it continues the one before it.
        var isFold: Bool { unicodeScalars.first == " " || unicodeScalars.first == "\t" }
    }

    extension Set<Unicode.Scalar> {
        /// Control characters other than tab, CR, LF and NUL.
        static var controls: Self {
            Set((1..<32).compactMap { Unicode.Scalar($0 as Int) } + ["\u{7F}"]).subtracting(["\t", "\r", "\n"])
        }
    }
#endif
