import Networking

/// The words of a command line.
struct Arguments {
    /// Long name, short name, value, help.
    private static let options: [(long: String, short: String?, value: String?, help: String)] = [
        ("--json", nil, "TEXT", "sends JSON: the text, @FILE, or @- for standard input. The method is POST by default"),
        ("--header", "-H", "'NAME: VALUE'", "sends a header field; repeatable"),
        ("--user", "-u", "NAME:PASSWORD", "sends basic credentials"),
        ("--insecure", "-k", nil, "accepts any certificate of the URL's host"),
        ("--cacert", nil, "FILE", "trusts only the authorities in a PEM file"),
        ("--output", "-o", "FILE", "writes the body to a file; - is standard output"),
        ("--include", "-i", nil, "writes status and header fields before the body; HEAD does"),
        ("--fail", "-f", nil, "ends with 22 on a status from 400, and writes no body"),
        ("--har", nil, "FILE", "writes all exchanges as a HAR file, without secrets"),
        ("--verbose", "-v", nil, "logs each request and response with header fields, without secrets"),
        ("--help", "-h", nil, "shows this text"),
    ]

    static var help: String {
        let lines = options.map { option in
            let names = (option.short.map { "\($0), " } ?? "    ") + option.long + (option.value.map { " \($0)" } ?? "")
            return "  \(names.padding(toLength: 28, withPad: " ", startingAt: 0))\(option.help)"
        }
        return """
            usage:
              quickstart                           a tour of the SDK, against a server in this process
              quickstart [METHOD] URL [OPTIONS]    sends a request, and writes the body of the response

            The method is GET by default, and the scheme http. :8080/path is on this machine. Redirects are followed. The
            body goes to standard output, everything else to standard error. The exit statuses are those of curl.

            options:
            \(lines.joined(separator: "\n"))

            """
    }

    let url: URL
    let method: String?
    private var values: [String: [String]] = [:]

    init(_ words: [String]) throws(CommandError) {
        var words = words[...]
        var operands: [String] = []
        while let word = words.popFirst() {
            guard word != "--" else {
                operands += words
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = Self.options.first(where: { $0.long == parts[0] || $0.short == parts[0] }) else {
                throw .usage("unknown option '\(parts[0])'. See: quickstart --help")
            }
            var value = parts.dropFirst().first
            if option.value == nil, value != nil { throw .usage("\(parts[0]) takes no value.") }
            if let name = option.value {
                value = value ?? words.popFirst()
                if value == nil { throw .usage("\(parts[0]) needs a value: \(name).") }
            }
            values[option.long, default: []].append(value ?? "")
        }
        guard (1...2).contains(operands.count), let text = operands.last else {
            throw .usage("usage: quickstart [METHOD] URL [OPTIONS]. See: quickstart --help")
        }
        method = operands.count == 2 ? operands[0].uppercased() : nil
        url = try Self.url(text)
    }

    private static func url(_ text: String) throws(CommandError) -> URL {
        let full = text.contains("://") ? text : (text.hasPrefix(":") ? "http://localhost" : "http://") + text
        guard let url = URL(string: full), let scheme = url.scheme?.lowercased(), url.host?.isEmpty == false else {
            throw CommandError(3, "'\(text)' is not a URL.")
        }
        guard ["http", "https"].contains(scheme) else {
            throw CommandError(1, "The scheme '\(scheme)' is not supported. Use http or https.")
        }
        return url
    }

    func has(_ option: String) -> Bool { values[option] != nil }
    /// Returns the value; the last one counts.
    func last(_ option: String) -> String? { values[option]?.last }

    /// Returns the header fields. An error does not repeat the text, which may be a secret.
    func headers() throws(CommandError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        if let user = last("--user") {
            let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw .usage("--user takes NAME:PASSWORD.") }
            headers.append(.authorization(username: parts[0], password: parts[1]))
        }
        for text in values["--header"] ?? [] {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            let header = HTTPHeader(name: parts[0], value: parts.count > 1 ? parts[1] : "")
            guard parts.count == 2, header.isValid else { throw .usage("--header takes 'NAME: VALUE' on one line.") }
            headers.append(header)
        }
        return headers
    }

    /// Returns the JSON of the body, or nil.
    func json() throws(CommandError) -> Data? {
        guard let text = last("--json") else { return nil }
        var data = Data(text.utf8)
        if text.hasPrefix("@") {
            let path = String(text.dropFirst())
            do {
                let input = FileHandle.standardInput
                data = try path == "-" ? input.readToEnd() ?? Data() : Data(contentsOf: URL(fileURLWithPath: path))
            } catch {
                throw CommandError(26, "\(path) cannot be read: \(error.localizedDescription)")
            }
        }
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        } catch {
            throw .usage("The text of --json is not JSON. Quote it for the shell, as in --json '{\"name\": \"Leia\"}'.")
        }
        return data
    }

    var configuration: NetworkClient.Configuration {
        var configuration = NetworkClient.Configuration()
        configuration.cookies = .private
        if let file = last("--cacert") {
            configuration.transportConfiguration.certificateAuthorities = .onlyFile(URL(fileURLWithPath: file))
        }
        if has("--insecure") {
            configuration.transportConfiguration.developmentServers = .selfSigned(
                hosts: [url.host ?? ""], allowsReleaseBuilds: true)
        }
        return configuration
    }
}
