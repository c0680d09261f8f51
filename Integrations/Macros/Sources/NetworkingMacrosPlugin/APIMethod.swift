import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A parameter of a method, and what it is in the request.
struct APIParameter {
    enum Role: String {
        case path, query = "Query", queryObject = "QueryObject", header = "Header", body = "Body", part = "Part"
        case destination = "Destination", options = "Downloader.Options", configuration = "Configuration"
    }

    let syntax: FunctionParameterSyntax
    /// The type without `Query<…>` and the like.
    let type: TypeSyntax
    let role: Role
    /// The attribute that names it: `@Query("q", for: "text")`.
    let attribute: AttributeSyntax?

    var name: TokenSyntax { syntax.name }

    /// The name of a query item, a field or a part, as an expression.
    func wireName(_ keys: String?) -> String {
        if let name = attribute?[nil] { return name.trimmedDescription }
        return "\"\(role == .header ? name.plainText.fieldName : name.plainText.cased(keys))\""
    }
}

/// What a method returns.
enum APIResult {
    case nothing, value(TypeSyntax), response, outcome(TypeSyntax), events, download, upload(TypeSyntax)

    init(_ type: TypeSyntax?) {
        switch (type?.lastName, type?.argument, type) {
        case ("TransportResponse", nil, _): self = .response
        case ("NetworkResponse", let value?, _): self = .outcome(value)
        case ("ServerSentEventSequence", nil, _): self = .events
        case ("Download", nil, _): self = .download
        case ("Upload", let value?, _): self = .upload(value)
        case (_, _, let type?) where !["Void", "()"].contains(type.trimmedDescription): self = .value(type.trimmed)
        default: self = .nothing
        }
    }

    /// The type of the decoded value.
    var decoded: TypeSyntax? {
        switch self {
        case .value(let type), .outcome(let type), .upload(let type): type
        default: nil
        }
    }

    var isTransfer: Bool {
        switch self {
        case .download, .upload: true
        default: false
        }
    }

    /// Whether the method returns before the response.
    var isImmediate: Bool {
        if case .events = self { true } else { isTransfer }
    }
}

/// A method of an `@API` protocol.
struct APIMethod {
    static let verbs: Set = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
    static let roles: Set = ["Query", "Header", "Body", "Part"]
    static let settings: Set = ["Headers", "Authenticated", "Cached", "Retry", "Timeout"]
    static let markers = verbs.union(roles).union(settings).union(["Multipart"])

    let function: FunctionDeclSyntax
    let verb: AttributeSyntax
    let path: APIPath
    let isMultipart: Bool
    let result: APIResult
    /// Those of the protocol first.
    let settings: [AttributeSyntax]
    private(set) var parameters: [APIParameter] = []

    var name: String { function.name.plainText }

    /// Whether the request usually has a body.
    var isSending: Bool { ["POST", "PUT", "PATCH"].contains(verb.name) }

    /// - Returns: nil without a verb.
    init?(_ function: FunctionDeclSyntax, of proto: ProtocolDeclSyntax, _ problems: Problems) {
        self.function = function
        let verbs = function.attributes(Self.verbs)
        guard let verb = verbs.first else {
            problems.add(
                "The method has no verb: @GET, @POST, @PUT, @PATCH, @DELETE, @HEAD or @OPTIONS.", at: function.name,
                fix: "Insert '@GET(\"/\(function.name.plainText)\")'", Self.insertVerb(function))
            return nil
        }
        if verbs.count > 1 { problems.add("The method has two verbs. Write two methods.", at: verbs[1]) }
        self.verb = verb
        path = APIPath(verb, problems)
        isMultipart = function.attribute("Multipart", problems) != nil
        result = APIResult(function.signature.returnClause?.type)
        let isCacheable = ["GET", "HEAD"].contains(verb.name) && !result.isImmediate
        let single = ["Authenticated", "Cached", "Retry", "Timeout"].compactMap { name in
            function.attribute(name, problems)
                ?? (name == "Cached" && !isCacheable ? nil : proto.attribute(name, problems))
        }
        settings = proto.attributes(["Headers"]) + function.attributes(["Headers"]) + single
        parameters = function.signature.parameterClause.parameters.compactMap { parameter($0, problems) }
        check(isCacheable, problems)
    }

    private static func insertVerb(_ function: FunctionDeclSyntax) -> [FixIt.Change] {
        let verb: AttributeSyntax = "@GET(\"/\(raw: function.name.plainText)\") "
        var fixed = function
        fixed.leadingTrivia = []
        fixed.attributes.insert(.attribute(verb), at: fixed.attributes.startIndex)
        return [replace(function, by: fixed.with(\.leadingTrivia, function.leadingTrivia))]
    }

    /// `@Query("q") text: String`, as in Retrofit.
    private func refuse(_ attribute: AttributeSyntax, at parameter: FunctionParameterSyntax, _ problems: Problems) {
        var plain = parameter.with(\.attributes, [])
        var fixed = "\(attribute.name)<\(parameter.type.trimmed)>"
        var changes: [FixIt.Change] = []
        if let name = attribute[nil] {
            fixed = "@\(attribute.name)(\(name), for: \"\(parameter.name.plainText)\")"
            let verbs = TypeSyntax("\(raw: fixed.dropFirst()) @\(verb.attributeName)")
            changes = [replace(verb.attributeName, by: verbs)]
        } else {
            plain.type = "\(raw: fixed)"
        }
        problems.add(
            "Swift accepts no attribute at a parameter of a protocol's method.", at: attribute,
            fix: "Replace '\(attribute.trimmed)' with '\(fixed)'", changes + [replace(parameter, by: plain)])
    }

    private func parameter(_ syntax: FunctionParameterSyntax, _ problems: Problems) -> APIParameter? {
        let name = syntax.name.plainText
        guard name != "_" else {
            problems.add("The parameter needs a name: write '_ name: \(syntax.type.trimmed)'.", at: syntax)
            return nil
        }
        if let attribute = syntax.attributes.compactMap({ $0.as(AttributeSyntax.self) }).first {
            refuse(attribute, at: syntax, problems)
            return nil
        }
        let named = function.attributes(Self.roles).filter { $0.parameter?.literal == name }
        if named.count > 1 { problems.add("Another attribute names the parameter '\(name)'.", at: named[1]) }
        var roles = named.prefix(1).compactMap { APIParameter.Role(rawValue: $0.name) }
        var type = syntax.type.trimmed
        // A user's own `Options` is no mark.
        let known = APIParameter.Role(rawValue: type.trimmedDescription)
        if let mark = known ?? type.lastName.flatMap(APIParameter.Role.init(rawValue:)) {
            if let inner = type.argument { (roles, type) = (roles + [mark], inner) }
            // Types of the SDK, which need no mark.
            if [.destination, .options, .configuration].contains(mark), roles.isEmpty { roles = [mark] }
        }
        if path.names.contains(name) {
            if type.isOptional { problems.add("A value in the path cannot be optional.", at: syntax.type) }
            roles.append(.path)
        }
        if Set(roles).count > 1 {
            let all = roles.map { $0 == .path ? "in the path" : "a \($0.rawValue)" }.joined(separator: " and ")
            problems.add("The parameter is \(all). Choose one.", at: syntax)
        }
        if syntax.ellipsis != nil || type.isUnsupported {
            problems.add("A value of this type cannot be sent. Use an Encodable type.", at: syntax.type)
            return nil
        }
        guard let role = roles.last else {
            let fixed: TypeSyntax = "\(raw: isMultipart ? "Part" : isSending ? "Body" : "Query")<\(type)>"
            problems.add(
                "The parameter is not in the path. Make it a Query, Header, Body or Part.", at: syntax,
                fix: "Replace '\(type)' with '\(fixed)'", [replace(syntax.type, by: fixed)])
            return nil
        }
        return APIParameter(syntax: syntax, type: type, role: role, attribute: named.first)
    }
}
