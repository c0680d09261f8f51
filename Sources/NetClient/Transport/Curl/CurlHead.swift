#if os(Linux)
    import CLibcurl
    import NetCore

    /// The head of a response as it was received: parsed on the caller's thread.
    struct CurlHead {
        let bytes: UnsafeMutablePointer<CChar>?
        let count: Int
        let status: Int
        let version: HTTPVersion
        /// The length of the body as it is received.
        let bodyLength: Int64?
        /// Whether the body has a content coding that is ours to decode. Not that of a part (206): it begins anywhere.
        let isCoded: Bool

        init(taking transfer: UnsafeMutablePointer<nc_transfer>) {
            status = Int(transfer.pointee.status)
            version =
                switch transfer.pointee.version {
                case 10: .http1_0
                case 20: .http2
                case 30: .http3
                default: .http1_1
                }
            let length = transfer.pointee.content_length
            bodyLength =
                transfer.pointee.ends_with_head != 0 ? 0 : length < 0 || transfer.pointee.is_chunked != 0 ? nil : length
            isCoded = transfer.pointee.is_encoded != 0 && nc_transfer_has_body(transfer) != 0 && status != 206
            var count = 0
            bytes = nc_transfer_take_head(transfer, &count)
            self.count = count
        }

        var headers: HTTPHeaders {
            HTTPHeaders(
                received: HeaderBlockParser.fields(
                    in: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)))
        }

        func free() {
            Foundation.free(bytes)
        }
    }

    extension Data {
        /// What a transfer has gathered since the last time, without copying it.
        init(takingBodyOf transfer: UnsafeMutablePointer<nc_transfer>) {
            var count = 0
            var isBlock: Int32 = 0
            guard let bytes = nc_transfer_take_body(transfer, &count, &isBlock) else {
                self.init()
                return
            }
            self.init(
                bytesNoCopy: bytes, count: count,
                deallocator: isBlock == 0
                    ? .free : .custom { bytes, _ in nc_block_give(bytes.assumingMemoryBound(to: UInt8.self)) })
        }
    }
#endif
