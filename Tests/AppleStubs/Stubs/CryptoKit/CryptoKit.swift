// The API of CryptoKit is that of swift-crypto, which is by Apple.
@_exported public import Crypto
