#if canImport(UniformTypeIdentifiers)
    import UniformTypeIdentifiers

    extension MIMEType {
        static func systemType(forExtension fileExtension: String) -> String? {
            UTType(filenameExtension: fileExtension)?.preferredMIMEType
        }
    }
#endif
