// In place of `Sources/NetSystem/Exports.swift`: what `import Foundation` is on Apple's systems.
@_exported public import AppleFoundation
@_exported public import Darwin
@_exported public import Foundation
