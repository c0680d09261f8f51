#if os(Linux)
    import CLibcurl
    import NetCore

    extension CurlLoop {
        /// Tells how far an exchange has come, if that has changed.
        func report(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            let length = transfer.pointee.content_length
            let now = TransportProgress(
                bytesSent: nc_transfer_uploaded(transfer),
                bytesToSend: exchange.request.uploadLength < 0 ? nil : exchange.request.uploadLength,
                bytesReceived: nc_transfer_downloaded(transfer),
                bytesToReceive: length < 0 ? nil : length)
            guard now != exchange.lastProgress else { return }
            exchange.lastProgress = now
            exchange.progress?(now)
        }
    }
#endif
