#if os(Linux)
    import NetCore

    /// The content codings (RFC 9110, section 8.4.1) for which this machine has libraries.
    enum ContentCodings {
        /// The value of `Accept-Encoding`: all codings that can be decoded.
        static let accepted: String = {
            let names = Decompressor.Format.allCases.filter(\.isAvailable).map(\.rawValue)
            return names.isEmpty ? "identity" : names.joined(separator: ", ")
        }()

        /// Each coding costs a decoder, and servers use one or two.
        private static let most = 5

        /// Returns the codings to decode, the outermost first. Empty if one of them is unknown: then the body is not decoded.
        ///
        /// - Throws: ``TransportError/Code/contentDecodingFailed`` if there are more than five.
        static func outermostFirst(in headers: HTTPHeaders, url: URL?) throws(TransportError) -> [Decompressor.Format] {
            var codings: [Decompressor.Format] = []
            for name in headers.values(for: "Content-Encoding").flatMap({ $0.listMembers().map(String.init) }) {
                if name.equalsIgnoringASCIICase("identity") { continue }
                let name = name.asciiLowercased
                let coding = Decompressor.Format(rawValue: name == "x-gzip" ? "gzip" : name)
                guard let coding, coding.isAvailable else { return [] }
                codings.append(coding)
                guard codings.count <= most else {
                    throw TransportError(
                        .contentDecodingFailed, phase: .receivingHead,
                        message: "Content-Encoding names more than \(most) codings, one over the other.", url: url)
                }
            }
            return codings.reversed()
        }
    }

    /// Decodes one content coding, a block at a time: it holds one block, however large the input decodes to.
    final class ContentDecoder {
        let coding: Decompressor.Format
        private let decompressor: Decompressor
        private let blocks = BlockPool.large
        private var input = Data()
        private var offset = 0
        private var mayHaveMore = false
        /// Whether there was input.
        private(set) var hasBegun = false
        /// The possible beginning of a member, of a frame, or of either form of deflate, until it is long enough to decide.
        private var start: [UInt8] = []
        /// Whether the first member or frame has begun, and whether one has ended and no other has begun.
        private var (hasMember, isBetween) = (false, false)
        /// Whether only surplus follows.
        private var isOver = false

        init(_ coding: Decompressor.Format, memory: DecoderMemory) throws(Decompressor.Problem) {
            self.coding = coding
            decompressor = try Decompressor(coding, memory: memory)
        }

        /// Whether the body is complete if the input ends here.
        var isComplete: Bool { isBetween || isOver }
        /// Whether there were bytes after the end of the coded body.
        var hasSurplus: Bool { isOver || isBetween && !start.isEmpty }

        /// Takes input. Call it after ``next()`` returned nil.
        func feed(_ data: Data) {
            input = data
            offset = 0
            hasBegun = true
        }

        /// Returns the next bytes, or nil if it needs input.
        func next() throws(Decompressor.Problem) -> Data? {
            while offset < input.count || mayHaveMore {
                guard let block = blocks.take() else { throw .noMemory }
                var output = UnsafeMutableRawBufferPointer(start: block, count: blocks.size)
                let problem = input.withUnsafeBytes { bytes -> Decompressor.Problem? in
                    var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(offset))
                    defer { offset = bytes.count - rest.count }
                    do throws(Decompressor.Problem) { try decode(&rest, into: &output) } catch { return error }
                    let isStuck = output.count == blocks.size && rest.count == bytes.count - offset && !rest.isEmpty
                    return isStuck ? .malformed : nil
                }
                if let problem {
                    blocks.give(block)
                    throw problem
                }
                mayHaveMore = output.isEmpty
                let count = blocks.size - output.count
                if offset == input.count, !input.isEmpty { (input, offset) = (Data(), 0) }
                if let data = data(block, count: count) { return data }
            }
            return nil
        }

        /// Copies a small piece, so that its reader does not hold a whole block.
        private func data(_ block: UnsafeMutableRawPointer, count: Int) -> Data? {
            guard count * 3 > blocks.size else {
                defer { blocks.give(block) }
                return count > 0 ? Data(bytes: block, count: count) : nil
            }
            return blocks.data(block, count: count)
        }

        /// Decodes until the input is consumed or the output is full; then there may be more output without more input. Bytes after the end of
        /// the coded body are consumed and dropped.
        private func decode(
            _ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer
        ) throws(Decompressor.Problem) {
            while !isOver {
                if !hasMember || isBetween {
                    let taken = input.prefix(max(0, needed - start.count))
                    start += taken
                    input = UnsafeRawBufferPointer(rebasing: input.dropFirst(taken.count))
                    if start.count < needed || input.isEmpty && start.isEmpty { return }
                    try begin()
                } else if !start.isEmpty {
                    try decodeStart(into: &output)
                    if !start.isEmpty, !isBetween { return }
                } else {
                    let (left, room) = (input.count, output.count)
                    isBetween = try decompressor.decompress(&input, into: &output)
                    if isBetween, !input.isEmpty { continue }
                    if input.isEmpty || output.isEmpty || input.count == left && output.count == room { return }
                }
            }
            input = UnsafeRawBufferPointer(rebasing: input.dropFirst(input.count))
        }

        /// Decodes the bytes that were held back for the decision. A very small frame may end within them, and the next one begin.
        private func decodeStart(into output: inout UnsafeMutableRawBufferPointer) throws(Decompressor.Problem) {
            let held = start
            start = []
            try held.withUnsafeBufferPointer { bytes throws(Decompressor.Problem) in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty, !isBetween {
                    let before = rest.count
                    isBetween = try decompressor.decompress(&rest, into: &output)
                    if rest.count == before { break }
                }
                start = Array(rest)
            }
        }

        /// The number of bytes that decide what begins here; 0 if there is nothing to decide.
        private var needed: Int {
            switch coding {
            case .gzip: 2
            case .deflate: hasMember ? 1 : 2
            case .brotli: hasMember ? 1 : 0
            case .zstd: 4
            }
        }

        /// Begins a member or frame, or decides on the form of deflate. Other bytes after the end are surplus.
        private func begin() throws(Decompressor.Problem) {
            let isBeginning =
                switch coding {
                case .gzip: start == [0x1F, 0x8B]
                // Or a skippable frame.
                case .zstd: start == [0x28, 0xB5, 0x2F, 0xFD] || start[0] >> 4 == 5 && start[1...] == [42, 77, 24]
                case .deflate, .brotli: !hasMember
                }
            guard isBeginning || hasMember else { throw .malformed }
            isOver = !isBeginning
            if coding == .gzip, isBeginning, hasMember { decompressor.restart(isRaw: false) }
            // Without the header of zlib (RFC 1950, section 2.2).
            if coding == .deflate, isBeginning, start[0] & 0x0F != 8 || (Int(start[0]) << 8 | Int(start[1])) % 31 != 0 {
                decompressor.restart(isRaw: true)
            }
            (hasMember, isBetween) = (true, false)
        }
    }
#endif
