#if canImport(Darwin) && !os(Linux) && !os(visionOS)
    // Foundation declares these conformances only from iOS 16 and macOS 13, above this package's deployment targets. The classes are the
    // same on older systems. Without this, each conformance to `BodyEncoder` and `BodyDecoder` causes a warning.
    extension JSONEncoder: @retroactive @unchecked Sendable {}
    extension JSONDecoder: @retroactive @unchecked Sendable {}
    extension PropertyListEncoder: @retroactive @unchecked Sendable {}
    extension PropertyListDecoder: @retroactive @unchecked Sendable {}
#endif
