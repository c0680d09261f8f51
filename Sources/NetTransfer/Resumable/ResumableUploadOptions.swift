public import NetCore

/// How a resumable upload goes about it.
public struct ResumableUploadOptions: Sendable {
    /// The most bytes that one request carries; nil sends all the rest in one. Zero or less counts as nil.
    ///
    /// One request is fastest. Smaller ones are for servers (and proxies) that refuse large requests, and for those that store nothing of
    /// a request that breaks. A limit that the server announces holds in any case.
    public var chunkSize: Int64?
    /// How many times in a row it goes on after a failure (a lost connection, a timeout, 408, 423, 429, 5xx, an offset that the
    /// server does not share) before it gives up. What the server has stored in between begins a new count. A negative number counts as
    /// zero.
    public var maxRetries = 5
    /// How long to wait before each; a `Retry-After` of the server makes it longer, up to two minutes.
    public var delay = RetryDelay.exponential(base: 1, maximum: 60)
    /// What goes along as `Upload-Metadata` (tus), besides `filename` and `filetype`, which are the file's unless they are here.
    /// A key is printable ASCII without spaces and commas.
    public var metadata: [String: String] = [:]
    /// Names the user whose upload it is, so that another user's is never gone on with: see ``RequestContext/partition``.
    public var partition: String?
    /// Where it is kept on disk what a later process needs to go on.
    public var records = ResumableUploadRecords.standard

    /// The defaults, to be changed.
    public init() {}
}
