#if canImport(UniformTypeIdentifiers)
    import UniformTypeIdentifiers

    extension MIMEType {
        /// Looks an extension up in Apple's uniform types.
        static func systemType(forExtension fileExtension: String) -> String? {
            UTType(filenameExtension: fileExtension)?.preferredMIMEType
        }
    }
#endif
