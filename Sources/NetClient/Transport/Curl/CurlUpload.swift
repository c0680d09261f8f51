#if os(Linux)
    import CLibcurl
    import NetCore

    /// Gives a transfer the body of its request.
    enum CurlUpload {
        static func detach(_ transfer: UnsafeMutablePointer<nc_transfer>) {
            if transfer.pointee.upload == NC_UPLOAD_FILE, transfer.pointee.upload_fd >= 0 {
                close(transfer.pointee.upload_fd)
            }
            transfer.pointee.upload = NC_UPLOAD_NONE
            transfer.pointee.upload_fd = -1
            transfer.pointee.upload_bytes = nil
        }

        static func attach(_ request: CurlRequest, to transfer: UnsafeMutablePointer<nc_transfer>) throws {
            transfer.pointee.upload_length = request.uploadLength
            switch request.upload {
            case .none:
                transfer.pointee.upload = NC_UPLOAD_NONE
            case .data(let data):
                transfer.pointee.upload = NC_UPLOAD_MEMORY
                if data.count <= CurlRequest.inlineBodySize {
                    transfer.pointee.upload_bytes = request.block.inlineBody
                } else {
                    // Larger data lies on the heap, in storage that this exchange retains: nobody can change it meanwhile
                    // without making a copy, so the address stays good as long as the exchange.
                    transfer.pointee.upload_bytes = data.withUnsafeBytes {
                        $0.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    }
                }
            case .file(let segment):
                let descriptor = open(segment.url.path, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else {
                    if errno == EMFILE || errno == ENFILE { throw Descriptors.exhausted(for: "a file", url: nil) }
                    throw TransportError(
                        .requestBodyFailed, phase: .preparing,
                        message: "\(segment.url.path) cannot be read: \(String(cString: strerror(errno)))")
                }
                transfer.pointee.upload = NC_UPLOAD_FILE
                transfer.pointee.upload_fd = descriptor
                transfer.pointee.upload_base = segment.offset
            case .pieces, .stream:
                transfer.pointee.upload = NC_UPLOAD_STREAM
            }
        }
    }
#endif
