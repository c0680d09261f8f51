public import NetCore

// Sources of downloads, with the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension DownloadSource {
    /// A file behind a URL.
    @_disfavoredOverload
    public static func url(_ url: URL, headers: some Sequence<(key: String, value: String)>) -> DownloadSource {
        .url(url, headers: HTTPHeaders(fields: headers))
    }

    /// What is missing of a download.
    @_disfavoredOverload
    public static func resumeData(
        _ data: Data, headers: some Sequence<(key: String, value: String)>
    ) -> DownloadSource {
        .resumeData(data, headers: HTTPHeaders(fields: headers))
    }
}
