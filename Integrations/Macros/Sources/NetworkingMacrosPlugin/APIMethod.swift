import SwiftSyntax
import SwiftSyntaxBuilder

/// A parameter of a method, and what it is in the request.
struct APIParameter {
    enum Role: String {
        case path, query = "Query", queryObject = "QueryObject", header = "Header", body = "Body", part = "Part"
        case destination, options, configuration
    }

    let syntax: FunctionParameterSyntax
    let name: TokenSyntax
    /// The type without `Query<…>` and the like.
    let type: TypeSyntax
    let role: Role
    /// The attribute that names it: `@Query("q", for: "text")`.
    let attribute: AttributeSyntax?

    /// The name of a query item, a field or a part, as an expression.
    func wireName(_ keys: String?) -> String {
        if let attribute, let name = attribute[nil] { return name.trimmedDescription }
        return (role == .header ? name.plainText.fieldName : name.plainText.cased(keys)).quoted
    }
}

/// What a method returns.
enum APIResult {
    case nothing, value(TypeSyntax), response, outcome(TypeSyntax), events, download, upload(TypeSyntax)

    init(_ type: TypeSyntax?) {
        switch (type?.lastName, type?.argument) {
        case (nil, _) where type == nil || type?.trimmedDescription == "()": self = .nothing
        case ("Void", nil): self = .nothing
        case ("TransportResponse", nil): self = .response
        case ("NetworkResponse", let value?), ("NetworkingResponse", let value?): self = .outcome(value)
        case ("ServerSentEventSequence", nil): self = .events
        case ("Download", nil): self = .download
        case ("Upload", let value?): self = .upload(value)
        default: self = .value(type!)
        }
    }

    var isTransfer: Bool {
        switch self {
        case .download, .upload: true
        default: false
        }
    }

    /// The type of the decoded value.
    var decoded: TypeSyntax? {
        switch self {
        case .value(let type), .outcome(let type), .upload(let type): type
        default: nil
        }
    }
}

/// A method of an `@API` protocol.
struct APIMethod {
    static let verbs: Set = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
    static let roles: Set = ["Query", "Header", "Body", "Part"]
    static let settings: Set = ["Headers", "Authenticated", "Cached", "Retry", "Timeout"]
    static let markers = verbs.union(roles).union(settings).union(["Multipart"])

    let function: FunctionDeclSyntax
    let verb: String
    let path: APIPath
    let isMultipart: Bool
    let parameters: [APIParameter]
    let result: APIResult
    let settings: [AttributeSyntax]

    var name: String { function.name.plainText }

    /// - Returns: nil without a verb.
    init?(_ function: FunctionDeclSyntax, of proto: ProtocolDeclSyntax, _ problems: Problems) {
        self.function = function
        let verbs = function.attributes(Self.verbs)
        guard let verb = verbs.first else {
            let attribute: AttributeSyntax = "@GET(\"/\(raw: function.name.plainText)\") "
            var fixed = function
            fixed.attributes.insert(
                .attribute(attribute.with(\.leadingTrivia, function.leadingTrivia)), at: fixed.attributes.startIndex)
            if function.attributes.isEmpty {
                fixed.funcKeyword.leadingTrivia = []
                if var first = fixed.modifiers.first {
                    first.leadingTrivia = []
                    fixed.modifiers[fixed.modifiers.startIndex] = first
                }
            }
            problems.add(
                "The method has no verb: @GET, @POST, @PUT, @PATCH, @DELETE, @HEAD or @OPTIONS.", at: function.name,
                fix: "Insert '@GET(\"/\(function.name.plainText)\")'", [replace(function, by: fixed)])
            return nil
        }
        if verbs.count > 1 { problems.add("The method has two verbs. Write two methods.", at: verbs[1]) }
        self.verb = verb.name
        path = APIPath(verb, problems)
        isMultipart = function.attribute("Multipart", problems) != nil
        result = APIResult(function.signature.returnClause?.type)
        settings = Self.settings.sorted().compactMap { name in
            function.attribute(name, problems)
                ?? proto.attribute(name, problems).flatMap {
                    name == "Cached" && !["GET", "HEAD"].contains(verb.name) ? nil : $0
                }
        }
        if let modifier = function.modifiers.first(where: { ["static", "class", "mutating"].contains($0.name.text) }) {
            problems.add("A method of an @API protocol cannot be \(modifier.name.text).", at: modifier)
        }
        var parameters: [APIParameter] = []
        for parameter in function.signature.parameterClause.parameters {
            guard let parsed = Self.parameter(parameter, of: function, verb, path, isMultipart, result, problems) else {
                continue
            }
            parameters.append(parsed)
        }
        self.parameters = parameters
        check(verb, proto, problems)
    }

    private static func parameter(
        _ syntax: FunctionParameterSyntax, of function: FunctionDeclSyntax, _ verb: AttributeSyntax, _ path: APIPath,
        _ isMultipart: Bool, _ result: APIResult, _ problems: Problems
    ) -> APIParameter? {
        let name = syntax.secondName ?? syntax.firstName
        guard name.text != "_" else {
            problems.add("The parameter needs a name: write '_ name: \(syntax.type.trimmed)'.", at: name)
            return nil
        }
        let named = function.attributes(roles).filter {
            $0.literal($0.name == "Body" ? nil : "for") == name.plainText
        }
        var type = syntax.type.trimmed
        var role = named.first.flatMap { APIParameter.Role(rawValue: $0.name) }
        if let mark = type.lastName.flatMap(APIParameter.Role.init(rawValue:)), let inner = type.argument {
            if let role, role != mark {
                problems.add("The parameter is a \(mark.rawValue) and a \(role.rawValue). Choose one.", at: syntax)
            }
            (role, type) = (role ?? mark, inner)
        }
        if named.count > 1 {
            problems.add("Another attribute names the parameter '\(name.plainText)' already.", at: named[1])
        }
        if path.names.contains(name.plainText) {
            if let role {
                problems.add(
                    "'{\(name.plainText)}' in the path is the same parameter. Remove \(role.rawValue), or rename one.",
                    at: syntax)
            }
            if type.isOptional { problems.add("A value in the path cannot be optional.", at: syntax.type) }
            role = .path
        }
        switch type.lastName {
        case "Destination": role = role ?? .destination
        case "DownloadOptions": role = role ?? .options
        case "Configuration" where type.trimmedDescription.hasSuffix("ServerSentEventSequence.Configuration"):
            role = role ?? .configuration
        default: break
        }
        if syntax.ellipsis != nil || type.isUnsupported {
            problems.add(
                "A parameter of this type cannot be sent. Use a value that is Encodable or has a text.", at: syntax.type
            )
            return nil
        }
        guard let role else {
            let hasBody = !["GET", "HEAD", "DELETE", "OPTIONS"].contains(verb.name)
            let guess = isMultipart ? "Part" : hasBody ? "Body" : "Query"
            let fixed: TypeSyntax = "\(raw: guess)<\(type)>"
            problems.add(
                "The request has no place for the parameter: it is not in the path. Make it a Query, Header, Body or Part.",
                at: syntax,
                fix: "Replace '\(type)' with '\(fixed)'",
                [replace(syntax.type, by: fixed.with(\.trailingTrivia, syntax.type.trailingTrivia))])
            return nil
        }
        return APIParameter(syntax: syntax, name: name, type: type, role: role, attribute: named.first)
    }
}
