import BenchKit
import Foundation

/// What to compare, and for how long.
struct Options {
    static let help = """
        --quick             3 short rounds (0.2 s) without waiting for a quiet machine: for a look, not for the record
        --rounds N          exactly N rounds of each row, in place of 6 to 20: as many as it takes until the 95 % confidence
                            interval of the ratio of the requests/s is under ±5 %
        --row-seconds S     but no more rounds of a row after S seconds (20), if there were six
        --seconds S         length of a round (0.3); the first third of it again warms up
        --only TEXT         only the row of that title, or all rows whose title contains it, such as "https", "h2", "handshake",
                            "64 KiB" or "http 200 B x 16"; may be given again
        --contenders LIST   only these, separated by commas: \(Contender.allCases.map(\.rawValue).joined(separator: ","))
        --no-download       leave out the download
        --instructions      count the instructions per request as well, with valgrind, in the rows of 16 tasks (minutes more)
        --wait S            wait at most S seconds until the load is under 0.3 (120)
        --markdown FILE     write the tables to FILE as well, as Markdown
        --result FILE       write all figures of all rounds to FILE, as JSON, from which Benchmarks/draw makes a drawing
                            (Benchmarks/.build/result.json)
        """

    var http = ""
    var https = ""
    /// A server that resumes no TLS session.
    var httpsCold = ""
    /// `https` with HTTP/2 by ALPN, and nothing else.
    var http2 = ""
    /// The ids of the server's processes.
    var server: [Int] = []
    /// The certificate authority, a PEM file.
    var authority = ""
    /// Whether URLSession can verify the server's certificate: it takes the system's authorities only.
    var urlSessionTrustsAuthority = false
    /// Where downloads go, and where the server logs its handshakes.
    var directory = ""
    /// Versions of what takes part, one a line.
    var notes = ""
    var rounds = 6...20
    var rowSeconds = 20.0
    var seconds = 0.3
    var only: [String] = []
    var contenders = Contender.allCases
    var withDownload = true
    var withInstructions = false
    var wait = 120.0
    var markdown: String?
    var result: String?

    var warmUp: Double { seconds / 3 }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of name: String) throws -> String {
            guard let value = rest.popFirst() else { throw Failure("\(name) wants a value\n\n\(Self.help)") }
            return value
        }
        func number(of name: String) throws -> Double {
            guard let number = Double(try value(of: name)), number >= 0 else { throw Failure("\(name) wants a number") }
            return number
        }
        while let name = rest.popFirst() {
            switch name {
            case "--http": http = try value(of: name)
            case "--https": https = try value(of: name)
            case "--https-cold": httpsCold = try value(of: name)
            case "--http2": http2 = try value(of: name)
            case "--server": server = try value(of: name).split(separator: " ").compactMap { Int($0) }
            case "--authority": authority = try value(of: name)
            case "--url-session-trusts-authority": urlSessionTrustsAuthority = true
            case "--directory": directory = try value(of: name)
            case "--notes": notes = try value(of: name)
            case "--quick": (rounds, seconds, wait) = (3...3, 0.2, 0)
            case "--rounds":
                let count = max(1, Int(min(try number(of: name), 1000)))
                rounds = count...count
            case "--row-seconds": rowSeconds = try number(of: name)
            case "--seconds": seconds = try number(of: name)
            case "--only": only.append(try value(of: name))
            case "--no-download": withDownload = false
            case "--instructions": withInstructions = true
            case "--wait": wait = try number(of: name)
            case "--markdown": markdown = try value(of: name)
            case "--result": result = try value(of: name)
            case "--contenders":
                contenders = try value(of: name).split(separator: ",").map { text in
                    guard let contender = Contender(rawValue: String(text)) else {
                        throw Failure("no contender is called \(text)\n\n\(Self.help)")
                    }
                    return contender
                }
            default: throw Failure("unknown option \(name)\n\n\(Self.help)")
            }
        }
    }
}
