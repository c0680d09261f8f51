import NetCore

/// MIME types by file extension, for the `Content-Type` of files that are uploaded.
///
/// A built-in table comes first, the same on every platform. For other extensions it asks the system: Apple's uniform types, or `/etc/mime.types`.
///
/// ```swift
/// let type = MIMEType.forFile(named: "photo.JPG")  // "image/jpeg"
/// ```
public enum MIMEType {
    /// `application/octet-stream`: bytes of an unknown kind.
    public static let octetStream = "application/octet-stream"

    /// Returns the type of a file by its name, or ``octetStream`` if the extension is unknown or missing.
    public static func forFile(named name: String) -> String { known(forFileNamed: name) ?? octetStream }

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
        for (type, subtypes) in types {
            for entry in subtypes.split(whereSeparator: \.isWhitespace) {
                let parts = entry.split(separator: "=")
                for name in parts[parts.count - 1].split(separator: ",") { table[String(name)] = "\(type)/\(parts[0])" }
            }
        }
        return table
    }()

    /// The subtypes of each type, with their extensions unless the only one is named like the subtype.
    private static let types = [
        "application": """
        epub+zip=epub geo+json=geojson gzip=gz,tgz java-archive=jar json=json,map ld+json=jsonld
        manifest+json=webmanifest msword=doc,dot octet-stream=bin,dat pdf pkcs8=p8 postscript=ps,eps,ai rtf sql
        vnd.android.package-archive=apk vnd.apple.keynote=key vnd.apple.mpegurl=m3u8 vnd.apple.numbers=numbers
        vnd.apple.pages=pages vnd.ms-excel=xls,xlt vnd.ms-fontobject=eot vnd.ms-powerpoint=ppt,pps
        vnd.oasis.opendocument.presentation=odp vnd.oasis.opendocument.spreadsheet=ods
        vnd.oasis.opendocument.text=odt vnd.openxmlformats-officedocument.presentationml.presentation=pptx
        vnd.openxmlformats-officedocument.spreadsheetml.sheet=xlsx
        vnd.openxmlformats-officedocument.wordprocessingml.document=docx vnd.rar=rar
        vnd.sqlite3=sqlite,sqlite3,db wasm x-7z-compressed=7z x-apple-diskimage=dmg x-bzip2=bz2
        x-ndjson=ndjson,jsonl x-pem-file=pem x-pkcs12=p12,pfx x-plist=plist x-sh=sh x-tar=tar
        x-x509-ca-cert=cer,crt,der x-xz=xz xhtml+xml=xhtml,xht xml=xml,xsl,xsd yaml=yaml,yml zip zstd=zst
        """,
        "audio":
            "aac aiff=aif,aiff amr flac midi=mid,midi mp4=m4a,m4b mpeg=mp3 ogg=oga,ogg,opus wav webm=weba x-caf=caf",
        "font": "collection=ttc otf ttf woff woff2",
        "image": """
        apng avif bmp gif heic heif jpeg=jpg,jpeg,jpe jxl png svg+xml=svg tiff=tif,tiff vnd.adobe.photoshop=psd
        vnd.microsoft.icon=ico webp x-adobe-dng=dng
        """,
        "message": "rfc822=eml",
        "model": "gltf+json=gltf gltf-binary=glb obj stl vnd.usdz+zip=usdz",
        "text": """
        calendar=ics css csv html=html,htm javascript=js,mjs markdown=md,markdown plain=txt,text,log,conf,ini
        tab-separated-values=tsv vcard=vcf,vcard vtt
        """,
        "video": """
        3gpp=3gp 3gpp2=3g2 mp2t=ts mp4=mp4,m4v,mp4v mpeg=mpeg,mpg ogg=ogv quicktime=mov,qt webm x-flv=flv
        x-matroska=mkv x-ms-wmv=wmv x-msvideo=avi
        """,
    ]
}
