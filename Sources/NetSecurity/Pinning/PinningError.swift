public import NetCore

/// What is wrong with pins themselves: told when they are made, before anything is sent.
public enum PinningError: Error, Hashable, Sendable {
    /// It is not `sha256/` with 32 bytes in base64.
    case invalidPin(String)
    /// It is no name of a host: ASCII (`xn--…` for other letters), no port, a star only as the whole first part.
    case invalidHost(String)
    /// The host is named twice.
    case duplicateHost(String)
    /// A host has one pin only. Should its key be lost, the app cannot reach it until an update is installed.
    case backupPinMissing(host: String)
    /// No host is pinned at all.
    case noHosts
    /// There is no such file.
    case missingFile(String)
    /// The file is not what it should be, and why.
    case unreadableFile(String, String)
    /// There is no such environment, and which there are.
    case unknownEnvironment(String, known: [String])
}

extension PinningError: CustomStringConvertible, LocalizedError {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .invalidPin(let text):
            "\"\(text)\" is no pin: write sha256/ and the 44 characters that `Scripts/pins show` prints."
        case .invalidHost(let host):
            "\"\(host)\" is no host to pin: write a name like api.example.com or *.example.com, without scheme and port."
        case .duplicateHost(let host): "\(host) is pinned twice: put all its pins into one PinnedHost."
        case .backupPinMissing(let host):
            "\(host) has fewer than two different pins. Add that of a key which is kept apart for the day when the first one is "
                + "lost, or say backup: .waived."
        case .noHosts: "No host is pinned: without pins, leave trustPolicy nil."
        case .missingFile(let path): "There is no file \(path): its name counts with upper and lower case."
        case .unreadableFile(let path, let reason): "\(path) cannot be used: \(reason)"
        case .unknownEnvironment(let name, let known):
            "There are no pins for the environment \"\(name)\", only for: \(known.joined(separator: ", "))."
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
