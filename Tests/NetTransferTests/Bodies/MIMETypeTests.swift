import NetTransfer
import Testing

@Suite struct MIMETypeTests {
    @Test(arguments: [
        ("photo.jpg", "image/jpeg"), ("photo.JPEG", "image/jpeg"), ("a.png", "image/png"), ("a.gif", "image/gif"),
        ("a.pdf", "application/pdf"), ("a.json", "application/json"), ("a.mp4", "video/mp4"), ("a.mp3", "audio/mpeg"),
        ("archive.tar.gz", "application/gzip"), (".zip", "application/zip"), ("a.heic", "image/heic"),
        ("a.mov", "video/quicktime"), ("a.csv", "text/csv"), ("a.html", "text/html"),
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("README", "application/octet-stream"), ("a.", "application/octet-stream"), ("", "application/octet-stream"),
        ("a.doesnotexist", "application/octet-stream"), ("dir.png/file", "application/octet-stream"),
    ])
    func mimeTypeFollowsTheExtension(_ name: String, _ type: String) { #expect(MIMEType.forFile(named: name) == type) }

    @Test func commonExtensionsHaveTypes() {
        let known = """
            epub geojson gz jar json jsonld webmanifest doc bin pdf ps rtf sql apk key m3u8 numbers pages xls eot ppt odp ods odt
            pptx xlsx docx rar sqlite wasm 7z dmg bz2 ndjson pem p12 plist sh tar crt xz xhtml xml yaml zip zst aac aiff amr flac
            mid m4a mp3 ogg wav weba caf ttc otf ttf woff woff2 apng avif bmp gif heic heif jpg jxl png svg tiff psd ico webp dng
            eml gltf glb obj stl usdz ics css csv html js md txt tsv vcf vtt 3gp 3g2 ts mp4 mpeg ogv mov webm flv mkv wmv avi
            """
        let types = known.split(whereSeparator: \.isWhitespace).map { ($0, MIMEType.forExtension(String($0))) }
        for (name, type) in types { #expect(type?.split(separator: "/").count == 2, "\(name): \(type ?? "unknown")") }
        #expect(Set(types.map(\.1)).count > 100)
    }

    #if os(Linux)
        @Test func systemTableIsParsed() {
            let table = MIMEType.parse(
                "# a comment\napplication/none\n\napplication/vnd.a\t\taa AB\ntext/other ab\nnonsense xx\r\nlast/one z")
            #expect(table == ["aa": "application/vnd.a", "ab": "application/vnd.a", "z": "last/one"])
        }

        @Test(.enabled(if: FileManager.default.fileExists(atPath: "/etc/mime.types"), "apt-get install media-types"))
        func unknownExtensionsAreLookedUpInTheSystemTable() {
            #expect(MIMEType.forExtension("WK1") == "application/vnd.lotus-1-2-3")
        }
    #endif
}
