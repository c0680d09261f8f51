import Testing

@testable import NetLogging
