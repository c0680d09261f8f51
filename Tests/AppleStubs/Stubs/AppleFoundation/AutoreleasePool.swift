/// https://developer.apple.com/documentation/objectivec/autoreleasepool(invoking:)
///
/// Nothing is autoreleased here.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
