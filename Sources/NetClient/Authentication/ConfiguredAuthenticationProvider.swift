/// The provider of ``NetworkManager/authenticationProvider``. Its type tells an initialiser that its argument was left out.
struct ConfiguredAuthenticationProvider: AuthenticationProvider {
    let base: any AuthenticationProvider

    func authenticate(_ request: inout URLRequest) async throws { try await base.authenticate(&request) }
    func reauthenticate() async throws { try await base.reauthenticate() }
}

extension AuthenticationProvider {
    /// The provider itself, with its own rules and its shared refreshes, if this is that of ``NetworkManager/authenticationProvider``.
    var unwrapped: any AuthenticationProvider { (self as? ConfiguredAuthenticationProvider)?.base ?? self }
}
