#if os(Linux)
    import NetCore

    /// When the steps of an exchange happened, in nanoseconds of `nc_clock`; 0 for a step that did not.
    struct ExchangeTimes {
        var began: Int64 = 0
        var lookedUp: Int64 = 0
        var connected: Int64 = 0
        var secured: Int64 = 0
        /// When the request's first byte could be sent.
        var sent: Int64 = 0
        var firstByte: Int64 = 0
        var ended: Int64 = 0
    }

    extension TransportResponse.Metrics {
        init(of exchange: HTTPExchange) {
            self.init()
            let times = exchange.times
            func seconds(_ time: Int64) -> TimeInterval? {
                // At least 1 µs, since 0 means that it did not happen.
                time > 0 ? TimeInterval(max(1, (time - times.began + 999) / 1000)) / 1_000_000 : nil
            }
            isReusedConnection = exchange.isReused
            nameLookup = seconds(times.lookedUp)
            connect = seconds(times.connected)
            secureConnect = seconds(times.secured)
            requestStart = seconds(times.sent)
            firstByte = seconds(times.firstByte)
            total = seconds(times.ended)
            bytesSent = exchange.sentBytes
            bytesReceived = exchange.receivedBytes
            remoteAddress = exchange.connection?.facts?.value.remoteAddress
        }
    }
#endif
