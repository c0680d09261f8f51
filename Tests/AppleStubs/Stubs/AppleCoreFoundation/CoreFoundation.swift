// The types of CoreFoundation that the SDK names. In Apple's SDKs they are classes bridged to Foundation's; here they are those types.
public import Foundation

/// https://developer.apple.com/documentation/corefoundation/cfstring
public typealias CFString = String
/// https://developer.apple.com/documentation/corefoundation/cfdata
public typealias CFData = Data
/// https://developer.apple.com/documentation/corefoundation/cfarray
public typealias CFArray = [Any]
/// https://developer.apple.com/documentation/corefoundation/cfdictionary
public typealias CFDictionary = [String: Any]
/// https://developer.apple.com/documentation/corefoundation/cfboolean
public typealias CFBoolean = NSNumber
/// https://developer.apple.com/documentation/corefoundation/cferror
public typealias CFError = NSError
/// https://developer.apple.com/documentation/corefoundation/cftyperef
public typealias CFTypeRef = AnyObject
/// https://developer.apple.com/documentation/corefoundation/cfallocator
public final class CFAllocator: Sendable {}
/// https://developer.apple.com/documentation/corefoundation/cftypeid
public typealias CFTypeID = UInt
/// https://developer.apple.com/documentation/kernel/osstatus
public typealias OSStatus = Int32

/// The classes of these stubs that have a type identifier.
public protocol CFTyped: AnyObject {
    static var typeID: CFTypeID { get }
}

/// https://developer.apple.com/documentation/corefoundation/cfgettypeid(_:)
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID {
    (cf as? any CFTyped).map { type(of: $0).typeID } ?? 0
}
