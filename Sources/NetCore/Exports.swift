// Foundation, and on Linux its networking half, once for every module of ours and for whoever imports one of them:
// `URL`, `Data`, `URLRequest` and `HTTPURLResponse` are part of our own signatures.
@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
