import BenchKit
import Foundation

/// What to compare, and for how long.
struct Options {
    static let help = """
        --quick             3 short rounds (0.3 s) in place of 5 of 1 s: for a look, not for the record
        --rounds N          rounds of each cell
        --seconds S         length of a round; URLSession, which is slow, gets half
        --only TEXT         only the rows that contain TEXT, such as "https", "h2", "64 KiB" or "http 200 B x 16"
        --contenders LIST   only these, separated by commas: \(Contender.allCases.map(\.rawValue).joined(separator: ","))
        --no-download       leave out the download
        --markdown FILE     write the tables to FILE as well, as Markdown
        """

    var http = ""
    var https = ""
    /// `https` with HTTP/2 by ALPN.
    var http2 = ""
    /// The certificate authority, a PEM file.
    var authority = ""
    /// Whether URLSession can verify the server's certificate: it takes the system's authorities only.
    var urlSessionTrustsAuthority = false
    /// Where downloads go.
    var directory = ""
    /// Versions of what takes part, one a line.
    var notes = ""
    var rounds = 5
    var seconds = 1.0
    var only: String?
    var contenders = Contender.allCases
    var withDownload = true
    var markdown: String?

    var warmUp: Double { min(0.3, seconds / 2) }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of name: String) throws -> String {
            guard let value = rest.popFirst() else { throw Failure("\(name) wants a value\n\n\(Self.help)") }
            return value
        }
        func number(of name: String) throws -> Double {
            guard let number = Double(try value(of: name)), number > 0 else { throw Failure("\(name) wants a number") }
            return number
        }
        while let name = rest.popFirst() {
            switch name {
            case "--http": http = try value(of: name)
            case "--https": https = try value(of: name)
            case "--http2": http2 = try value(of: name)
            case "--authority": authority = try value(of: name)
            case "--url-session-trusts-authority": urlSessionTrustsAuthority = true
            case "--directory": directory = try value(of: name)
            case "--notes": notes = try value(of: name)
            case "--quick": (rounds, seconds) = (3, 0.3)
            case "--rounds": rounds = max(1, Int(try number(of: name)))
            case "--seconds": seconds = try number(of: name)
            case "--only": only = try value(of: name)
            case "--no-download": withDownload = false
            case "--markdown": markdown = try value(of: name)
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
