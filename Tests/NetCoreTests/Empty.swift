import Testing

@testable import NetCore
