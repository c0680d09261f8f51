import Testing

@testable import NetTransfer
