internal import NIOCore
public import NetCore

/// A command: its name and its arguments.
///
/// ```swift
/// let command: RedisCommand = ["SET", "greeting", "hello", "EX", "60"]
/// ```
public struct RedisCommand: Sendable, ExpressibleByArrayLiteral {
    /// One word of a command: text or bytes.
    public struct Word: Hashable, Sendable, ExpressibleByStringInterpolation {
        let bytes: Data

        public init(_ bytes: Data) { self.bytes = bytes }
        public init(_ text: String) { bytes = Data(text.utf8) }
        public init(stringLiteral text: String) { self.init(text) }
    }

    let words: [Word]
    /// The key whose slot selects the node of a cluster; nil for any node.
    let key: Word?

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - words: the name and the arguments.
    ///   - key: a key that the command uses, by which a client finds the node of a Redis Cluster. All keys of a command must be in one slot. Nil
    ///     for a command without a key.
    public init(_ words: [Word], key: Word? = nil) {
        self.words = words
        self.key = key
    }

    /// Creates a command whose first argument is its key, as in most commands.
    public init(arrayLiteral words: Word...) {
        self.init(words, key: words.count > 1 ? words[1] : nil)
    }

    /// Writes an array of strings, each with its length before it. So no word can be taken for another.
    func write(to buffer: inout ByteBuffer) {
        buffer.writeString("*\(words.count)\r\n")
        for word in words {
            buffer.writeString("$\(word.bytes.count)\r\n")
            buffer.writeBytes(word.bytes)
            buffer.writeString("\r\n")
        }
    }
}
