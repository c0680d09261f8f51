import Foundation
import HTTPTypes
import NetCore
import NetworkingHTTPTypes
import Testing

@Suite struct HTTPFieldsTests {
    private func names(_ fields: HTTPFields) -> [String] { fields.map(\.name.rawName) }

    @Test func keepsOrderCaseAndDuplicatesBothWays() throws {
        var fields = HTTPFields()
        for (name, value) in [
            ("X-b", "1"), ("Accept", "a"), ("x-B", "2"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2, c"),
        ] {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let headers = HTTPHeaders(fields)
        #expect(headers.map(\.name) == ["X-b", "Accept", "x-B", "Set-Cookie", "Set-Cookie"])
        #expect(headers.map(\.value) == ["1", "a", "2", "a=1", "b=2, c"])
        let back = try HTTPFields(headers)
        #expect(names(back) == names(fields))
        #expect(back.map(\.value) == fields.map(\.value))
    }

    @Test func joinsCookieFieldsAtTheFirst() throws {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .cookie, value: "a=1"))
        fields.append(HTTPField(name: .accept, value: "*/*"))
        fields.append(HTTPField(name: .cookie, value: "b=2"))
        fields.append(HTTPField(name: .cookie, value: "c=3"))
        let headers = HTTPHeaders(fields)
        #expect(headers.map(\.name) == ["Cookie", "Accept"])
        #expect(headers["cookie"] == "a=1; b=2; c=3")
    }

    @Test(arguments: [
        ([0xC3, 0xA9] as [UInt8], "é"), ([0xE9], "é"), ([0x61, 0xFF, 0x62], "aÿb"), ([0xF0, 0x9F, 0x98, 0x80], "😀"),
    ])
    func readsValuesAsTheSDKDoes(bytes: [UInt8], text: String) {
        let headers = HTTPHeaders(HTTPFields([HTTPField(name: .server, value: bytes)]))
        #expect(headers["Server"] == text)
    }

    @Test func writesValuesAsUTF8() throws {
        let fields = try HTTPFields(["X-Name": "é😀"])
        #expect(fields.first?.value == "é😀")
        #expect(fields.first?.withUnsafeBytesOfValue { Array($0) } == Array("é😀".utf8))
    }

    @Test func leavesOutNamesThatHTTPTypesRefuses() throws {
        let fields = try HTTPFields(
            HTTPHeaders(received: [
                HTTPHeader(name: "X Y", value: "1"), HTTPHeader(name: ":path", value: "/"),
                HTTPHeader(name: "", value: ""),
                HTTPHeader(name: "Z", value: "1\u{1}2"),
            ]))
        #expect(names(fields) == ["Z"])
        #expect(fields.first?.value == "1 2")
    }

    @Test func refusesMoreFieldsThanHTTPFieldsHolds() throws {
        let most = [HTTPHeader](repeating: HTTPHeader(name: "a", value: ""), count: 65_534)
        #expect(try HTTPFields(HTTPHeaders(received: most)).count == 65_534)
        #expect(throws: HTTPTypesError.tooManyFields(count: 65_535)) {
            try HTTPFields(HTTPHeaders(received: most + [HTTPHeader(name: "a", value: "")]))
        }
    }
}
