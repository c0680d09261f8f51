import Testing

@testable import NetTesting
