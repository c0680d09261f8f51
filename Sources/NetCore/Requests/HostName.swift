/// Compares hosts: pins, address policies and client certificates ask for the one spelling of a host.
package enum HostName {
    /// The host in lower case, decoded, without the dot of the root and the brackets of IPv6. An address gets its canonical form:
    /// `127.1`, `0x7f000001` and `[::ffff:127.0.0.1]` are `127.0.0.1`, and a zone (`%25eth0`) is left out.
    package static func normalized(_ host: String) -> String {
        if let address = IPAddress(host) { return address.description }
        // Transports decode the names of a URL, but no address in brackets.
        let name = (host.utf8.contains(colon) ? host : host.removingPercentEncoding ?? host).asciiLowercased
        if let address = IPAddress(name) { return address.description }
        return name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
    }

    private static let colon = UInt8(ascii: ":")
}
