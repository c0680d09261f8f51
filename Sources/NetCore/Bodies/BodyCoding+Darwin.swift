#if canImport(Darwin) && !os(Linux) && !os(visionOS)
    // Foundation says so of itself only from iOS 16 and macOS 13 on, which are above our floors; the classes are the same on older
    // systems. Without this, each conformance to `BodyEncoder` and `BodyDecoder` is a warning there.
    extension JSONEncoder: @retroactive @unchecked Sendable {}
    extension JSONDecoder: @retroactive @unchecked Sendable {}
    extension PropertyListEncoder: @retroactive @unchecked Sendable {}
    extension PropertyListDecoder: @retroactive @unchecked Sendable {}
#endif
