import Testing

@testable import NetClient
