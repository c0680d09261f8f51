#if !canImport(Darwin)
    import NetCore

    extension UploadedBody {
        /// The body of an upload task, which Foundation on Linux shows to its own protocols only.
        ///
        /// Found by reflection: it reads the property that Foundation's own protocol would read. Should a later Foundation keep it elsewhere,
        /// the body is nil again, as it is without this.
        static func source(of task: URLSessionTask) -> Source {
            if let body = property("knownBody", of: task) { return known(body) }
            guard let session = property("session", of: task) as? URLSession,
                let delegate = session.delegate as? any URLSessionTaskDelegate
            else { return .none }
            // The delegate has the stream, and is asked for it as Foundation's own protocol would.
            return .question { answer in delegate.urlSession(session, task: task, needNewBodyStream: answer) }
        }

        private static func property(_ name: String, of object: Any) -> Any? {
            var mirror: Mirror? = Mirror(reflecting: object)
            while let current = mirror {
                if let child = current.children.first(where: { $0.label == name }) { return unwrapped(child.value) }
                mirror = current.superclassMirror
            }
            return nil
        }

        /// An optional within `Any`.
        private static func unwrapped(_ value: Any) -> Any? {
            let mirror = Mirror(reflecting: value)
            return mirror.displayStyle == .optional ? mirror.children.first?.value : value
        }

        /// An enumeration, whose payload says which case it is.
        private static func known(_ body: Any) -> Source {
            switch Mirror(reflecting: body).children.first?.value {
            case let data as DispatchData: .data(Data(data))
            case let url as URL: .file(url)
            case let stream as InputStream: .stream(stream)
            default: .none
            }
        }
    }
#endif
