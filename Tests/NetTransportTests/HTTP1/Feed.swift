#if os(Linux)
    @testable import NetTransport

    /// What a parser made of some bytes, with the pieces of the body joined.
    enum Event: Equatable {
        case interim(Int, String)
        case head(Int, HTTP1BodyLength, String)
        case upgrade(String)
        case body(String)
        case end(String?)
        case failure(HTTP1ParseError)
    }

    /// A connection: received bytes, and the parser's events.
    struct Feed {
        var parser: HTTP1ResponseParser
        var events: [Event] = []
        var pending: [UInt8] = []
        var head: HTTP1Head?

        init(isHead: Bool = false, limits: HTTP1Limits = HTTP1Limits()) {
            parser = HTTP1ResponseParser(isHead: isHead, limits: limits)
        }

        var error: HTTP1ParseError? { if case .failure(let error) = events.last { error } else { nil } }
        var length: HTTP1BodyLength? { head?.bodyLength }
        var body: String { events.reduce("") { if case .body(let piece) = $1 { $0 + piece } else { $0 } } }
        /// Whether the response is complete, and the connection may be used again.
        var isReusable: Bool { parser.mayBeReused }

        /// Receives bytes, and calls the parser until it needs more.
        mutating func receive(_ bytes: some Sequence<UInt8>) {
            pending += bytes
            while error == nil {
                do {
                    let (step, consumed) = try next(&parser, pending)
                    record(step)
                    pending.removeFirst(consumed)
                    if step == .needMore { return }
                } catch { events.append(.failure(error)) }
            }
        }

        mutating func close() {
            guard error == nil else { return }
            do { record(try parser.connectionClosed()) } catch { events.append(.failure(error)) }
        }

        private mutating func record(_ step: HTTP1ResponseParser.Step) {
            switch step {
            case .needMore: break
            case .interim(let status, let range): events.append(.interim(status, text(range)))
            case .upgrade(let head):
                self.head = head
                events.append(.upgrade(text(head.bytes)))
            case .head(let head):
                self.head = head
                events.append(.head(head.status, head.bodyLength, text(head.bytes)))
            case .body(let range):
                if case .body(let before) = events.last {
                    events[events.count - 1] = .body(before + text(range))
                } else {
                    events.append(.body(text(range)))
                }
            case .end(let trailers): events.append(.end(trailers.map(text)))
            }
        }

        private func text(_ range: Range<Int>) -> String { latin1(pending[range]) }
    }

    /// What a parser made of a response that arrived in pieces of some lengths before the connection was closed.
    struct FeedOutcome: Equatable {
        let events: [Event]
        let isReusable: Bool
        /// The bytes after the response. Empty after an error: then they depend on the pieces.
        let rest: [UInt8]

        init(_ bytes: [UInt8], isHead: Bool, limits: HTTP1Limits = HTTP1Limits(), pieces: [Int]) {
            var feed = Feed(isHead: isHead, limits: limits)
            var start = 0
            for count in pieces {
                feed.receive(bytes[start..<start + count])
                start += count
            }
            feed.receive([])
            isReusable = feed.isReusable
            feed.close()
            (events, rest) = (feed.events, feed.error == nil ? feed.pending : [])
        }
    }

    /// The span of a stored property does not outlive one access to it. That of a parameter does.
    func next(_ parser: inout HTTP1ResponseParser, _ bytes: [UInt8]) throws(HTTP1ParseError)
        -> HTTP1ResponseParser.Parsed
    { try parser.next(bytes.span) }

    /// The bytes of a text in ISO-8859-1, so that any byte can be written.
    func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

    func parse(_ text: String, isHead: Bool = false, limits: HTTP1Limits = .init(), closes: Bool = false) -> Feed {
        var feed = Feed(isHead: isHead, limits: limits)
        feed.receive(latin1(text))
        if closes { feed.close() }
        return feed
    }

    /// Parses a response with these field lines, each ended by CRLF, and a body.
    func parse(
        fields: String..., status: String = "HTTP/1.1 200 OK", body: String = "", isHead: Bool = false,
        closes: Bool = false
    ) -> Feed {
        let head = ([status] + fields + ["", ""]).joined(separator: "\r\n")
        return parse(head + body, isHead: isHead, closes: closes)
    }
#endif
