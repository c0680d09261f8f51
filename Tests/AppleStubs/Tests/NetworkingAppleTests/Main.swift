import Testing

/// Runs the tests as SwiftPM's own program does: same arguments, same output.
@main enum Main {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
