import NetCore

/// MIME types by file extension, for the `Content-Type` of files that are uploaded.
///
/// A built-in table comes first, so that a file has the same type on every platform. For other extensions it asks the system: Apple's
/// uniform types, or `/etc/mime.types`.
///
/// ```swift
/// let type = MIMEType.forFile(named: "photo.JPG")  // "image/jpeg"
/// ```
public enum MIMEType {
    /// `application/octet-stream`: bytes of an unknown kind.
    public static let octetStream = "application/octet-stream"

    /// Returns the type of a file by its name, or ``octetStream`` if the extension is unknown or missing.
    public static func forFile(named name: String) -> String {
        known(forFileNamed: name) ?? octetStream
    }

    /// Returns the type of files with an extension, in any case, or nil if it is unknown.
    ///
    /// - Parameter fileExtension: the extension without its dot: `"jpg"`.
    public static func forExtension(_ fileExtension: String) -> String? {
        let key = fileExtension.asciiLowercased
        return table[key] ?? systemType(forExtension: key)
    }

    static func known(forFileNamed name: String) -> String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let fileExtension = String(name[name.utf8.index(after: dot)...])
        return fileExtension.isEmpty ? nil : forExtension(fileExtension)
    }

    /// The types of the most common extensions.
    static let table: [String: String] = {
        var table: [String: String] = [:]
        for (type, extensions) in types {
            for name in extensions.split(separator: " ") { table[String(name)] = type }
        }
        for (type, names) in namesakes {
            for name in names.split(separator: " ") { table[String(name)] = "\(type)/\(name)" }
        }
        return table
    }()

    /// The types that are named like their extension.
    private static let namesakes: [(type: String, names: String)] = [
        ("application", "pdf rtf sql wasm zip"),
        ("audio", "aac amr flac wav"),
        ("font", "otf ttf woff woff2"),
        ("image", "apng avif bmp gif heic heif jxl png webp"),
        ("model", "obj stl"),
        ("text", "css csv vtt"),
    ]

    private static let types: [(type: String, extensions: String)] = [
        ("application/epub+zip", "epub"),
        ("application/geo+json", "geojson"),
        ("application/gzip", "gz tgz"),
        ("application/java-archive", "jar"),
        ("application/json", "json map"),
        ("application/ld+json", "jsonld"),
        ("application/manifest+json", "webmanifest"),
        ("application/msword", "doc dot"),
        ("application/octet-stream", "bin dat"),
        ("application/pkcs8", "p8"),
        ("application/postscript", "ps eps ai"),
        ("application/vnd.android.package-archive", "apk"),
        ("application/vnd.apple.keynote", "key"),
        ("application/vnd.apple.mpegurl", "m3u8"),
        ("application/vnd.apple.numbers", "numbers"),
        ("application/vnd.apple.pages", "pages"),
        ("application/vnd.ms-excel", "xls xlt"),
        ("application/vnd.ms-fontobject", "eot"),
        ("application/vnd.ms-powerpoint", "ppt pps"),
        ("application/vnd.oasis.opendocument.presentation", "odp"),
        ("application/vnd.oasis.opendocument.spreadsheet", "ods"),
        ("application/vnd.oasis.opendocument.text", "odt"),
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
        ("application/vnd.rar", "rar"),
        ("application/vnd.sqlite3", "sqlite sqlite3 db"),
        ("application/x-7z-compressed", "7z"),
        ("application/x-apple-diskimage", "dmg"),
        ("application/x-bzip2", "bz2"),
        ("application/x-ndjson", "ndjson jsonl"),
        ("application/x-pem-file", "pem"),
        ("application/x-pkcs12", "p12 pfx"),
        ("application/x-plist", "plist"),
        ("application/x-sh", "sh"),
        ("application/x-tar", "tar"),
        ("application/x-x509-ca-cert", "cer crt der"),
        ("application/x-xz", "xz"),
        ("application/xhtml+xml", "xhtml xht"),
        ("application/xml", "xml xsl xsd"),
        ("application/yaml", "yaml yml"),
        ("application/zstd", "zst"),
        ("audio/aiff", "aif aiff"),
        ("audio/midi", "mid midi"),
        ("audio/mp4", "m4a m4b"),
        ("audio/mpeg", "mp3"),
        ("audio/ogg", "oga ogg opus"),
        ("audio/webm", "weba"),
        ("audio/x-caf", "caf"),
        ("font/collection", "ttc"),
        ("image/jpeg", "jpg jpeg jpe"),
        ("image/svg+xml", "svg"),
        ("image/tiff", "tif tiff"),
        ("image/vnd.adobe.photoshop", "psd"),
        ("image/vnd.microsoft.icon", "ico"),
        ("image/x-adobe-dng", "dng"),
        ("message/rfc822", "eml"),
        ("model/gltf+json", "gltf"),
        ("model/gltf-binary", "glb"),
        ("model/vnd.usdz+zip", "usdz"),
        ("text/calendar", "ics"),
        ("text/html", "html htm"),
        ("text/javascript", "js mjs"),
        ("text/markdown", "md markdown"),
        ("text/plain", "txt text log conf ini"),
        ("text/tab-separated-values", "tsv"),
        ("text/vcard", "vcf vcard"),
        ("video/3gpp", "3gp"),
        ("video/3gpp2", "3g2"),
        ("video/mp2t", "ts"),
        ("video/mp4", "mp4 m4v mp4v"),
        ("video/mpeg", "mpeg mpg"),
        ("video/ogg", "ogv"),
        ("video/quicktime", "mov qt"),
        ("video/webm", "webm"),
        ("video/x-flv", "flv"),
        ("video/x-matroska", "mkv"),
        ("video/x-ms-wmv", "wmv"),
        ("video/x-msvideo", "avi"),
    ]
}
