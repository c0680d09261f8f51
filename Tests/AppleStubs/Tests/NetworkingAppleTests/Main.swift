import AppleLiberties
import Testing

/// Runs the tests as SwiftPM's own program does: same arguments, same output.
@main enum Main {
    static func main() async {
        if let seed = Liberties.seed { print("APPLE_STUBS_SEED=\(seed): the stand-ins take liberties by this seed.") }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
