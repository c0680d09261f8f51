public import NetCore

/// What came of a resumable upload that is complete.
public struct UploadReceipt: Sendable {
    /// Where the upload lived on the server. With tus it names the stored file for good; with the IETF's draft it is temporary.
    public let uploadURL: URL
    /// The length of the file.
    public let byteCount: Int64
    /// The answer to the request that completed it; nil if that was lost with its connection, and the server said afterwards that it has
    /// everything. Neither protocol has a way to get it then.
    public let response: TransportResponse?
    /// The body of that answer: with the IETF's draft, what the target would have answered to a plain upload. Nil as ``response`` is.
    public var data: Data? { response?.body.data }
}
