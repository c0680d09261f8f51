import Testing

@testable import NetCache
