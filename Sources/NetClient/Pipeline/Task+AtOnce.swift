/// A task that begins here and now, where the system can do that (SE-0472): up to its first suspension it runs on the caller's thread,
/// which saves waking another one. Otherwise it is an ordinary task.
func startAtOnce(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        return Task.immediate { await operation() }
    }
    return Task { await operation() }
}
