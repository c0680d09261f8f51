import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The errors, where they are, and what their fix-its write. An error leaves out the client and the mock.
@Suite struct DiagnosticTests {
    @Test func notAProtocol() {
        expectExpansion(
            "@API\nstruct Users {\n}", "struct Users {\n}",
            diagnostics: [DiagnosticSpec(message: "@API belongs to a protocol.", line: 1, column: 1)])
    }

    @Test func memberThatIsNotAMethod() {
        expectErrors(
            "var name: String { get }",
            [("An @API protocol has only methods and types. Move this to another protocol.", 1, 1, nil)],
            requirements: "var name: String { get }")
    }

    @Test func missingVerb() {
        let message = "The method has no verb: @GET, @POST, @PUT, @PATCH, @DELETE, @HEAD or @OPTIONS."
        expectErrors(
            "func user() async throws -> User", [(message, 1, 6, "Insert '@GET(\"/user\")'")],
            fixed: "@GET(\"/user\") func user() async throws -> User",
            requirements: "func user() async throws -> User")
        expectErrors(
            "@discardableResult func user() async throws -> User", [(message, 1, 25, "Insert '@GET(\"/user\")'")],
            fixed: "@GET(\"/user\") @discardableResult func user() async throws -> User",
            requirements: "@discardableResult func user() async throws -> User")
    }

    @Test func twoVerbs() {
        expectErrors(
            "@GET(\"/a\") @PUT(\"/a\") func a() async throws",
            [("The method has two verbs. Write two methods.", 1, 12, nil)], requirements: "func a() async throws")
    }

    @Test func repeatedAttribute() {
        expectErrors(
            "@GET(\"/a\") @Timeout(1) @Timeout(2) func a() async throws",
            [("@Timeout is repeated.", 1, 24, nil)], requirements: "func a() async throws")
    }

    @Test func pathParameterWithoutArgument() {
        expectErrors(
            "@GET(\"/users/{id}\") func user(name: Query<String>) async throws -> User",
            [("The method has no parameter 'id' for '{id}'.", 1, 6, nil)],
            requirements: "func user(name: Query<String>) async throws -> User")
    }

    @Test func argumentWithoutPlace() {
        let message = "The parameter is not in the path. Make it a Query, Header, Body or Part."
        expectErrors(
            "@GET(\"/users\") func users(page: Int?) async throws -> [User]",
            [(message, 1, 27, "Replace 'Int?' with 'Query<Int?>'")],
            fixed: "@GET(\"/users\") func users(page: Query<Int?>) async throws -> [User]",
            requirements: "func users(page: Int?) async throws -> [User]")
        expectErrors(
            "@POST(\"/users\") func create(_ user: User, on day: Header<String>) async throws",
            [(message, 1, 29, "Replace 'User' with 'Body<User>'")],
            fixed: "@POST(\"/users\") func create(_ user: Body<User>, on day: Header<String>) async throws",
            requirements: "func create(_ user: User, on day: Header<String>) async throws")
        expectErrors(
            "@Multipart @POST(\"/a\") func send(photo: Data, text: Part<String>) async throws",
            [(message, 1, 34, "Replace 'Data' with 'Part<Data>'")],
            fixed: "@Multipart @POST(\"/a\") func send(photo: Part<Data>, text: Part<String>) async throws",
            requirements: "func send(photo: Data, text: Part<String>) async throws")
    }

    @Test func attributeAtAnArgument() {
        let message = "Swift accepts no attribute at a parameter of a protocol's method."
        expectErrors(
            "@GET(\"/\") func search(@Query(\"q\") in text: String) async throws -> User",
            [(message, 1, 23, "Replace '@Query(\"q\")' with '@Query(\"q\", for: \"text\")'")],
            fixed: "@Query(\"q\", for: \"text\") @GET(\"/\") func search(in text: String) async throws -> User",
            requirements: "func search(@Query(\"q\") in text: String) async throws -> User")
        expectErrors(
            "@POST(\"/\") func create(@Body _ user: User) async throws",
            [(message, 1, 24, "Replace '@Body' with 'Body<User>'")],
            fixed: "@POST(\"/\") func create(_ user: Body<User>) async throws",
            requirements: "func create(@Body _ user: User) async throws")
    }

    @Test func argumentWithoutName() {
        expectErrors(
            "@GET(\"/a\") func a(_: Query<Int>) async throws",
            [("The parameter needs a name: write '_ name: Query<Int>'.", 1, 19, nil)],
            requirements: "func a(_: Query<Int>) async throws")
    }

    @Test func argumentWithTwoPlaces() {
        expectErrors(
            "@GET(\"/{id}\") func user(id: Query<Int>) async throws -> User",
            [("The parameter is a Query and in the path. Choose one.", 1, 25, nil)],
            requirements: "func user(id: Query<Int>) async throws -> User")
        expectErrors(
            "@GET(\"/\") @Query(\"q\", for: \"text\") func user(text: Header<String>) async throws -> User",
            [("The parameter is a Query and a Header. Choose one.", 1, 46, nil)],
            requirements: "func user(text: Header<String>) async throws -> User")
        expectErrors(
            "@GET(\"/\") @Query(\"q\", for: \"a\") @Query(\"r\", for: \"a\") func user(a: Int) async throws -> User",
            [("Another attribute names the parameter 'a'.", 1, 33, nil)],
            requirements: "func user(a: Int) async throws -> User")
    }

    @Test func attributeForNoArgument() {
        expectErrors(
            "@GET(\"/\") @Query(\"q\", for: \"txt\") func search(text: Query<String>) async throws -> User",
            [("The method has no parameter of this name.", 1, 28, nil)],
            requirements: "func search(text: Query<String>) async throws -> User")
    }

    @Test func bodyOnGET() {
        expectErrors(
            "@GET(\"/users\") func create(_ user: Body<User>) async throws",
            [("A GET request has no body.", 1, 28, "Replace '@GET' with '@POST'")],
            fixed: "@POST(\"/users\") func create(_ user: Body<User>) async throws",
            requirements: "func create(_ user: Body<User>) async throws")
    }

    @Test func twoBodies() {
        expectErrors(
            "@POST(\"/a\") func a(x: Body<Int>, y: Body<Int>) async throws",
            [("The method has two bodies. Send one value.", 1, 34, nil)],
            requirements: "func a(x: Body<Int>, y: Body<Int>) async throws")
    }

    @Test func formsWithoutPartsAndPartsWithoutForm() {
        expectErrors(
            "@POST(\"/a\") func a(x: Part<Data>) async throws",
            [("A Part needs @Multipart.", 1, 20, "Insert '@Multipart'")],
            fixed: "@Multipart @POST(\"/a\") func a(x: Part<Data>) async throws",
            requirements: "func a(x: Part<Data>) async throws")
        expectErrors(
            "@Multipart @POST(\"/a\") func a() async throws", [("The form has no Part.", 1, 29, nil)],
            requirements: "func a() async throws")
        expectErrors(
            "@Multipart @POST(\"/a\") func a(x: Part<Int>, y: Body<Int>) async throws",
            [("A form has parts and no Body. Make the parameter a Part.", 1, 45, nil)],
            requirements: "func a(x: Part<Int>, y: Body<Int>) async throws")
        expectErrors(
            "@PUT(\"/a\") func a() -> Upload<User>",
            [("An Upload needs a Body, or @Multipart and parts.", 1, 17, nil)],
            requirements: "func a() -> Upload<User>")
    }

    @Test func unsupportedTypes() {
        let message = "A value of this type cannot be sent. Use an Encodable type."
        for type in ["() -> Void", "(Int, Int)", "inout Int", "Int...", "Any", "User.Type"] {
            let parameter = type.contains("inout") ? "x: inout Int" : "x: \(type)"
            expectErrors(
                "@GET(\"/{x}\") func a(\(parameter)) async throws",
                [(message, 1, 24, nil)], requirements: "func a(\(parameter)) async throws")
        }
        expectErrors(
            "@GET(\"/\") func a(x: Query<(() -> Void)?>) async throws", [(message, 1, 21, nil)],
            requirements: "func a(x: Query<(() -> Void)?>) async throws")
        expectErrors(
            "@GET(\"/{id}\") func user(id: Int?) async throws -> User",
            [("A value in the path cannot be optional.", 1, 29, nil)],
            requirements: "func user(id: Int?) async throws -> User")
        for type in ["any Decodable", "() -> Void", "(Int, Int)", "Any"] {
            expectErrors(
                "@GET(\"/\") func a() async throws -> \(type)",
                [("A value of this type cannot be decoded. Return a Decodable type.", 1, 36, nil)],
                requirements: "func a() async throws -> \(type)")
        }
        expectErrors(
            "@HEAD(\"/\") func a() async throws -> User",
            [("The response to HEAD has no body. Return nothing, or a TransportResponse.", 1, 37, nil)],
            requirements: "func a() async throws -> User")
    }

    @Test func missingEffects() {
        func expect(_ method: String, _ name: String, fixed: String, missing: String = "async throws") {
            expectErrors(
                "@GET(\"/\") \(method)",
                [("The method sends a request, so it is '\(missing)'.", 1, 16, "Insert '\(missing)'")],
                fixed: "@GET(\"/\") \(fixed)", requirements: method)
        }
        expect("func a() -> User", "a", fixed: "func a() async throws -> User")
        expect("func a() async -> User", "a", fixed: "func a() async throws -> User")
        expect("func a() throws -> User", "a", fixed: "func a() async throws -> User")
        expect(
            "func a() throws(NetworkFailure) -> User", "a", fixed: "func a() async throws(NetworkFailure) -> User",
            missing: "async throws(NetworkFailure)")
        expect(
            "func a() -> NetworkResponse<User>", "a", fixed: "func a() async -> NetworkResponse<User>",
            missing: "async")
    }

    @Test func effectsOfAStream() {
        expectErrors(
            "@GET(\"/\") func a() async throws -> ServerSentEventSequence",
            [("The method returns at once. Its result waits and throws.", 1, 20, "Remove 'async throws'")],
            fixed: "@GET(\"/\") func a() -> ServerSentEventSequence",
            requirements: "func a() async throws -> ServerSentEventSequence")
    }

    @Test func otherThrownType() {
        expectErrors(
            "@GET(\"/\") func a() async throws(MyError) -> User",
            [("The client throws NetworkFailure.", 1, 33, "Replace 'MyError' with 'NetworkFailure'")],
            fixed: "@GET(\"/\") func a() async throws(NetworkFailure) -> User",
            requirements: "func a() async throws(MyError) -> User")
    }

    @Test func duplicateNames() {
        expectErrors(
            "@GET(\"/a\") func user() async throws\n@GET(\"/b\") func user(id: Query<Int>) async throws",
            [("Another method has this name. The mock needs a name for each method.", 2, 17, nil)],
            requirements: "func user() async throws\nfunc user(id: Query<Int>) async throws")
        expectErrors(
            "@GET(\"/\") @Query(\"a\", for: \"b\") func user(a: Query<Int>, b: Int) async throws",
            [("Another parameter has the name \"a\".", 1, 58, nil)],
            requirements: "func user(a: Query<Int>, b: Int) async throws")
        expectErrors(
            "@GET(\"/\") @Header(\"x-y\", for: \"b\") func user(xY: Header<Int>, b: Int) async throws",
            [("Another parameter has the name \"x-y\".", 1, 63, nil)],
            requirements: "func user(xY: Header<Int>, b: Int) async throws")
    }

    @Test func paths() {
        func expect(_ path: String, _ message: String, fix: String? = nil, fixed: String? = nil) {
            expectErrors(
                "@GET(\(path)) func a() async throws", [(message, 1, 6, fix)],
                fixed: fixed.map { "@GET(\($0)) func a() async throws" }, requirements: "func a() async throws")
        }
        let query = "A path has no query and no fragment. Make its values Query parameters."
        expect(#""/a?b=1""#, query, fix: "Remove '?b=1'", fixed: #""/a""#)
        expect(#""/a#b""#, query, fix: "Remove '#b'", fixed: #""/a""#)
        expect(#""a/b""#, "A path begins with a slash.", fix: "Insert '/'", fixed: #""/a/b""#)
        expect("path", "The path is not a string literal without interpolation.")
        expect(#""/\(a)""#, "The path is not a string literal without interpolation.")
        // The rest of the path is read, so that no other error follows.
        expectErrors(
            "@GET(\"users/{id}?a=1\") func a(id: Int) async throws",
            [(query, 1, 6, "Remove '?a=1'"), ("A path begins with a slash.", 1, 6, "Insert '/'")],
            requirements: "func a(id: Int) async throws")
        for path in ["/a//b", "//", "/a/../b", "/."] {
            expect("\"\(path)\"", "A component of a path cannot be empty, '.' or '..'.")
        }
        for segment in ["{", "}", "{}", "{a-b}", "a{b"] {
            expect("\"/\(segment)\"", "'\(segment)' has braces without a name of a parameter in them: write '{name}'.")
        }
    }

    @Test func argumentsOfAPI() {
        expectExpansion(
            "@API(keys: keys, mock: isDebug) protocol P {\n}", "protocol P {\n}",
            diagnostics: [
                DiagnosticSpec(message: "Write the case: .snakeCase.", line: 1, column: 12),
                DiagnosticSpec(message: "Write true or false.", line: 1, column: 24),
            ])
    }

    @Test func basePath() {
        expectExpansion(
            "@API(\"/{id}\") protocol P {\n}", "protocol P {\n}",
            diagnostics: [
                DiagnosticSpec(message: "The base path has no parameters: '{id}'.", line: 1, column: 1)
            ])
    }

    @Test func fieldNames() {
        let message = "This is not the name of a header field (RFC 9110, section 5.1)."
        expectErrors(
            "@GET(\"/\") @Header(\"a b\", for: \"c\") func a(c: Int) async throws", [(message, 1, 19, nil)],
            requirements: "func a(c: Int) async throws")
        expectErrors(
            "@GET(\"/\") @Headers([\"A\": \"1\", \"B:\": \"2\"]) func a() async throws", [(message, 1, 31, nil)],
            requirements: "func a() async throws")
    }

    @Test func settingsThatDoNotApply() {
        expectErrors(
            "@POST(\"/\") @Cached func a() async throws",
            [("Only a whole response to GET or HEAD is cached.", 1, 12, nil)], requirements: "func a() async throws")
        expectErrors(
            "@GET(\"/\") @Cached func a() -> Download",
            [("Only a whole response to GET or HEAD is cached.", 1, 11, nil)], requirements: "func a() -> Download")
        expectErrors(
            "@GET(\"/\") @Authenticated(false) func a() -> Download",
            [("A transfer has the client's credentials. Use a client without them.", 1, 38, nil)],
            requirements: "func a() -> Download")
        expectErrors(
            "@GET(\"/\") @Authenticated(isOn) func a() async throws", [("Write true or false.", 1, 11, nil)],
            requirements: "func a() async throws")
    }

    @Test func staticMethod() {
        expectErrors(
            "@GET(\"/\") static func a() async throws",
            [("A method of an @API protocol cannot be static.", 1, 11, nil)],
            requirements: "static func a() async throws")
    }

    @Test func attributesElsewhere() {
        expectExpansion(
            "protocol P {\n    @GET(\"/\") func a() async throws\n}\n@Multipart\nstruct S {\n}",
            "protocol P {\n    func a() async throws\n}\nstruct S {\n}",
            diagnostics: [
                DiagnosticSpec(
                    message: "@GET has no effect here. It belongs to a method of an @API protocol.", line: 2, column: 5),
                DiagnosticSpec(
                    message: "@Multipart has no effect here. It belongs to a method of an @API protocol.", line: 4,
                    column: 1),
            ])
    }

    @Test func severalErrors() {
        expectErrors(
            "@GET(\"/{id}\") func a(text: String) async throws",
            [
                (
                    "The parameter is not in the path. Make it a Query, Header, Body or Part.", 1, 22,
                    "Replace 'String' with 'Query<String>'"
                ),
                ("The method has no parameter 'id' for '{id}'.", 1, 6, nil),
            ],
            requirements: "func a(text: String) async throws")
    }
}
