// The types of CoreFoundation that the SDK names. As in Apple's SDKs they are classes, and a value of Swift's is bridged to them by `as`
// alone: without the cast it does not compile. There each is a class of its own, bridged to Foundation's free of charge; here each is
// Foundation's class, since `as` bridges String to that one only. So what is not seen is a missing cast between `NSString` and `CFString`.
public import Foundation

// https://developer.apple.com/documentation/corefoundation/cfstring, and the others beside it
public typealias CFString = NSString
public typealias CFData = NSData
public typealias CFArray = NSArray
public typealias CFDictionary = NSDictionary
public typealias CFError = NSError
public typealias CFTypeRef = AnyObject
public final class CFAllocator: Sendable {}
public typealias CFTypeID = UInt
public typealias CFIndex = Int
public typealias CFOptionFlags = UInt
/// https://developer.apple.com/documentation/kernel/osstatus
public typealias OSStatus = Int32

/// A class of these stubs whose type identifier the SDK asks for.
public protocol CFTyped: AnyObject { static var typeID: CFTypeID { get } }

/// https://developer.apple.com/documentation/corefoundation/cfgettypeid(_:)
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { (cf as? any CFTyped).map { type(of: $0).typeID } ?? 0 }

/// https://developer.apple.com/documentation/corefoundation/cfstringencoding
public typealias CFStringEncoding = UInt32

/// https://developer.apple.com/documentation/corefoundation/kcfstringencodinginvalidid
public let kCFStringEncodingInvalidId: CFStringEncoding = 0xFFFF_FFFF

/// A few of the names that Apple's systems know. The number is Foundation's own here.
///
/// https://developer.apple.com/documentation/corefoundation/cfstringconvertianacharsetnametoencoding(_:)
public func CFStringConvertIANACharSetNameToEncoding(_ theString: CFString!) -> CFStringEncoding {
    let known: [String: String.Encoding] = [
        "cp932": .shiftJIS, "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP, "iso-8859-2": .isoLatin2,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
    ]
    return known[theString.lowercased].map { CFStringEncoding($0.rawValue) } ?? kCFStringEncodingInvalidId
}

/// https://developer.apple.com/documentation/corefoundation/cfstringconvertencodingtonsstringencoding(_:)
public func CFStringConvertEncodingToNSStringEncoding(_ encoding: CFStringEncoding) -> UInt { UInt(encoding) }
