/// https://developer.apple.com/documentation/uniformtypeidentifiers/uttype-swift.struct
@available(macOS 11.0, iOS 14.0, watchOS 7.0, tvOS 14.0, *)
public struct UTType: Hashable, Sendable {
    public let identifier: String
    public let preferredMIMEType: String?
    public static let data = UTType(identifier: "public.data", preferredMIMEType: nil)

    private static let declared: [String: UTType] = [
        "png": UTType(identifier: "public.png", preferredMIMEType: "image/png"),
        "heic": UTType(identifier: "public.heic", preferredMIMEType: "image/heic"),
        "appdocument": UTType(identifier: "com.example.document", preferredMIMEType: "application/x-app-document"),
        "appcache": UTType(identifier: "com.example.cache", preferredMIMEType: nil),
    ]

    private init(identifier: String, preferredMIMEType: String?) {
        (self.identifier, self.preferredMIMEType) = (identifier, preferredMIMEType)
    }

    /// Nil for an identifier that no one declared.
    public init?(_ identifier: String) {
        guard let type = (Self.declared.values + [.data]).first(where: { $0.identifier == identifier }) else {
            return nil
        }
        self = type
    }

    /// An extension that nobody declared gives a type of its own, "dyn.…", without a MIME type.
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
        guard !filenameExtension.isEmpty else { return nil }
        self =
            Self.declared[filenameExtension.lowercased()]
            ?? UTType(identifier: "dyn.\(filenameExtension)", preferredMIMEType: nil)
    }
}
