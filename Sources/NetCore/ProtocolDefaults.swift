/// The protocols of the members that have a default. With them an almost right conformance is an error of the compiler, and is not ignored.
///
/// Conform to the protocol that refines one, such as ``Endpoint`` for ``EndpointMembers``.
public enum ProtocolDefaults {}
