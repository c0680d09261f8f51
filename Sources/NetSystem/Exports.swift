// Imports the platform's C library and Foundation once for all modules of this package.
@_exported public import Foundation

#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Android)
    @_exported public import Android
#endif
#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
