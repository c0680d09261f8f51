import Networking

/// A command.
enum Verb: String, CaseIterable {
    case get, post, download

    var synopsis: String { self == .download ? "download URL [FILE]" : "\(rawValue) URL" }
    var operandCount: ClosedRange<Int> { 1...(self == .download ? 2 : 1) }
    var options: [Option] { Option.table.filter { $0.verbs.contains(self) } }

    var summary: String {
        switch self {
        case .get: "gets a URL, and writes the body as it arrives"
        case .post: "sends JSON, a form or files, and writes the answer"
        case .download: "saves a file, and resumes where an earlier try ended"
        }
    }

    var details: String {
        switch self {
        case .get, .post:
            """
            The body goes to standard output as it is, everything else to standard error. On a terminal, JSON is
            indented. Redirects are followed. A status from 400 is an error only with --fail.
            """
        case .download:
            """
            Without FILE, the file gets the server's name for it in the current folder, or `name (2)` if that name is
            taken. A FILE that exists is replaced when the download is complete. Ctrl-C or a lost connection keeps the
            bytes, and the same command resumes if the server supports it. If FILE is - or a device or a named pipe, the
            body is written into it as it arrives, and cannot be resumed.
            """
        }
    }
}

/// An option. The parser, the help and the tests read one table.
struct Option: Sendable {
    enum Name: String, CaseIterable {
        case header, query, json, form, output, include, fail, timeout, retry, cache, har, waterfall, verbose, help
    }

    enum Value: Sendable {
        case none
        /// The next word, or what follows `=`.
        case required(String)
        /// Only what follows `=`.
        case optional(String)
    }

    let name: Name
    let short: Character?
    let value: Value
    let verbs: [Verb]
    let help: String

    init(
        _ name: Name, _ short: Character? = nil, _ value: Value = .none, for verbs: [Verb] = Verb.allCases,
        _ help: String
    ) {
        (self.name, self.short, self.value, self.verbs, self.help) = (name, short, value, verbs, help)
    }

    static let table = [
        Option(.header, "H", .required("'NAME: VALUE'"), "sends a header field; repeatable"),
        Option(.query, nil, .required("NAME=VALUE"), "adds an item to the URL's query, encoded; repeatable"),
        Option(.json, nil, .required("TEXT"), for: [.post], "sends JSON: the text, @FILE, or @- for standard input"),
        Option(
            .form, nil, .required("NAME=VALUE"), for: [.post],
            "sends a field of a form; NAME=@FILE uploads a file, as multipart; repeatable"),
        Option(
            .output, "o", .required("FILE"), for: [.get, .post],
            "writes the body to a file, a device or a named pipe; - is standard output"),
        Option(.include, "i", .none, for: [.get, .post], "writes status and header fields before the body"),
        Option(.fail, "f", .none, for: [.get, .post], "ends with 22 on a status from 400, and writes no body"),
        Option(.timeout, nil, .required("SECONDS"), "the longest time to connect, and without any byte"),
        Option(.retry, nil, .required("NUMBER"), "repeats a request that failed and is safe to repeat, after a pause"),
        Option(
            .cache, nil, .optional("FOLDER"), for: [.get, .post],
            "keeps responses on disk as RFC 9111 allows, in the user's folder for caches or in FOLDER"),
        Option(.har, nil, .required("FILE"), "writes all exchanges as a HAR file, without secrets and streamed bodies"),
        Option(.waterfall, nil, .none, "shows the duration of each step: DNS, connect, TLS, first byte, transfer"),
        Option(.verbose, "v", .none, "logs each request and response with header fields, without secrets"),
        Option(.help, "h", .none, "shows this text"),
    ]

    var long: String { "--\(name.rawValue)" }

    var usage: String {
        let value =
            switch value {
            case .none: ""
            case .required(let name): " \(name)"
            case .optional(let name): "[=\(name)]"
            }
        return (short.map { "-\($0), " } ?? "    ") + long + value
    }
}

/// The words of a command line, checked against the table.
struct Arguments {
    let verb: Verb
    private(set) var operands: [String] = []
    private var values: [Option.Name: [String]] = [:]

    init(_ verb: Verb, _ words: some Sequence<String>) throws(CommandError) {
        self.verb = verb
        var words = Array(words)[...]
        while let word = words.popFirst() {
            if word == "--" {
                operands += words
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let option = try Self.option(parts[0], of: verb)
            var value = parts.dropFirst().first
            switch option.value {
            case .none:
                if value != nil { throw .usage("\(parts[0]) takes no value.") }
            case .optional: break
            case .required(let name):
                value = value ?? words.popFirst()
                if value == nil { throw .usage("\(parts[0]) needs a value: \(name).") }
            }
            values[option.name, default: []].append(value ?? "")
        }
        if !has(.help), !verb.operandCount.contains(operands.count) {
            throw .usage("usage: quickstart \(verb.synopsis) [OPTIONS]. See: quickstart help \(verb.rawValue)")
        }
    }

    private static func option(_ word: String, of verb: Verb) throws(CommandError) -> Option {
        let found = Option.table.first { $0.long == word || $0.short.map { "-\($0)" } == word }
        if let found, found.verbs.contains(verb) { return found }
        if let found {
            let verbs = found.verbs.map(\.rawValue).joined(separator: " and ")
            throw .usage("\(word) is an option of \(verbs), not of \(verb.rawValue).")
        }
        throw .unknown("option", word, nearest: verb.options.map(\.long))
    }

    func has(_ name: Option.Name) -> Bool { values[name] != nil }
    func all(_ name: Option.Name) -> [String] { values[name] ?? [] }
    /// Returns the value; the last one counts.
    func last(_ name: Option.Name) -> String? { values[name]?.last }

    /// Returns the value as a number from a range, or nil if the option is not there.
    func number<Number: LosslessStringConvertible & Comparable>(
        _ name: Option.Name, in range: ClosedRange<Number>
    ) throws(CommandError) -> Number? {
        guard let text = last(name) else { return nil }
        guard let number = Number(text), range.contains(number) else {
            throw .usage(
                "--\(name.rawValue) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'.")
        }
        return number
    }

    /// Returns the values of the form `name=value`.
    func pairs(_ name: Option.Name) throws(CommandError) -> [URLQueryItem] {
        var items: [URLQueryItem] = []
        for text in all(name) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .usage("--\(name.rawValue) takes NAME=VALUE, not '\(text)'.")
            }
            items.append(URLQueryItem(name: parts[0], value: parts[1]))
        }
        return items
    }

    /// Returns the header fields.
    func headers() throws(CommandError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for text in all(.header) {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            let header = HTTPHeader(name: parts[0], value: parts.count > 1 ? parts[1] : "")
            // The text may be a secret, so the message does not repeat it.
            guard parts.count == 2, header.isValid else { throw .usage("--header takes 'NAME: VALUE' on one line.") }
            headers.append(header)
        }
        return headers
    }
}

/// The texts of `--help`.
enum Help {
    static var overview: String {
        let verbs = Verb.allCases.map { "  quickstart \(padded($0.synopsis, to: 22))\($0.summary)" }
        let codes = ExitCode.allCases.map { "  \(padded("\($0.rawValue)", to: 5))\($0.meaning)" }
        return """
            usage:
              quickstart                       a tour of the SDK, against a server in this process
            \(verbs.joined(separator: "\n"))
              quickstart help COMMAND          the options of a command

            exit status, as curl has them:
            \(codes.joined(separator: "\n"))

            """
    }

    static func text(of verb: Verb) -> String {
        let width = (verb.options.map(\.usage.count).max() ?? 0) + 2
        let options = verb.options.map { "  \(padded($0.usage, to: width))\($0.help)" }
        return """
            usage: quickstart \(verb.synopsis) [OPTIONS]

            \(verb.summary.prefix(1).uppercased() + verb.summary.dropFirst()).
            \(verb.details)

            options:
            \(options.joined(separator: "\n"))

            Exit statuses are those of curl: quickstart --help lists them.

            """
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
    }
}

extension CommandError {
    /// An unknown word, and the nearest known one if it may be a typing error.
    static func unknown(_ kind: String, _ word: String, nearest candidates: [String]) -> CommandError {
        let near = candidates.map { (word: $0, distance: distance($0, word)) }.min { $0.distance < $1.distance }
        let hint = near.map { $0.distance <= max(2, $0.word.count / 3) ? " Did you mean \($0.word)?" : "" } ?? ""
        return .usage("unknown \(kind) '\(word)'.\(hint) See: quickstart --help")
    }

    /// Returns the edit distance (Levenshtein), in bytes.
    private static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second.utf8)
        var row = Array(0...second.count)
        for (index, byte) in first.utf8.enumerated() {
            var diagonal = index
            row[0] = index + 1
            for column in second.indices {
                let changed = diagonal + (byte == second[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}
