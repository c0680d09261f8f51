#if os(Linux)
    import NetCore

    /// The queries and responses of DNS (RFC 1035, section 4) that look up addresses.
    enum DNSMessage {
        /// The types of records with addresses (RFC 1035, section 3.2.2; RFC 3596, section 2.1).
        enum RecordType: UInt16 {
            case a = 1
            case aaaa = 28

            var addressLength: Int { self == .a ? 4 : 16 }
        }

        struct Answer {
            var addresses: [String] = []
            /// The seconds for which all of it may be kept.
            var lifetime = UInt32.max
        }

        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        private static let classIN: UInt16 = 1

        /// A recursive query for the records of a name. Its ID is 0, as caches of HTTP want it (RFC 8484, section 4.1).
        ///
        /// - Throws: ``Failure`` for a name that DNS cannot have: of 1 to 63 bytes a label, and 253 in all.
        static func query(_ name: String, _ type: RecordType) throws -> Data {
            let labels = (name.hasSuffix(".") ? name.dropLast() : name[...])
                .split(separator: ".", omittingEmptySubsequences: false)
            guard name.utf8.count <= 254, labels.allSatisfy({ (1...63).contains($0.utf8.count) }) else {
                throw Failure(description: "The host is not a name of DNS.")
            }
            var message = Data([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
            for label in labels {
                message.append(UInt8(label.utf8.count))
                message += label.utf8
            }
            message += [0, 0, UInt8(type.rawValue), 0, UInt8(classIN)]
            return message
        }

        /// The addresses in a response. Records of other types and names are skipped: a server that resolves aliases sends those too.
        ///
        /// - Throws: ``Failure`` if the server reports an error, or the response is malformed.
        static func answer(in message: Data, _ type: RecordType) throws(Failure) -> Answer {
            var reader = ByteReader(message)
            do {
                return try answer(&reader, type)
            } catch let failure as Failure {
                throw failure
            } catch {
                throw Failure(description: "The response of DNS is cut off.")
            }
        }

        private static func answer(_ reader: inout ByteReader, _ type: RecordType) throws -> Answer {
            let header = try [UInt8](reader.data(4))
            let (questions, records) = (try reader.bigEndian(UInt16.self), try reader.bigEndian(UInt16.self))
            _ = try reader.data(4)
            guard header[2] & 0x80 != 0 else { throw Failure(description: "The message is not a response of DNS.") }
            let code = header[3] & 0x0F
            guard code == 0 else {
                throw Failure(
                    description: code == 3 ? "The name does not exist." : "The name server reports error \(code).")
            }
            for _ in 0..<questions {
                try reader.skipName()
                _ = try reader.data(4)
            }
            var answer = Answer()
            for _ in 0..<records {
                try reader.skipName()
                let (recordType, recordClass) = (try reader.bigEndian(UInt16.self), try reader.bigEndian(UInt16.self))
                let (lifetime, length) = (try reader.bigEndian(UInt32.self), try reader.bigEndian(UInt16.self))
                let data = try reader.data(Int(length))
                answer.lifetime = min(answer.lifetime, lifetime)
                guard recordType == type.rawValue, recordClass == classIN else { continue }
                guard data.count == type.addressLength, let address = IPAddress(bytes: data) else {
                    throw Failure(description: "An address in the response of DNS is malformed.")
                }
                answer.addresses.append(address.description)
            }
            return answer
        }
    }

    extension ByteReader {
        /// Reads a number in network order.
        fileprivate mutating func bigEndian<Number: FixedWidthInteger>(_ type: Number.Type) throws(Malformed) -> Number
        {
            try number(type).byteSwapped
        }

        /// A name is labels up to an empty one or a pointer (RFC 1035, section 4.1.4), which is not followed.
        fileprivate mutating func skipName() throws(Malformed) {
            while true {
                let length = Int(try number(UInt8.self))
                if length == 0 { return }
                guard length < 0x40 else {
                    _ = try data(1)
                    return
                }
                _ = try data(length)
            }
        }
    }
#endif
