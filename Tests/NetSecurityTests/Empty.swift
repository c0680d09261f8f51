import Testing

@testable import NetSecurity
