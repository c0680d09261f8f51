import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the client and the mock of a protocol.
struct APIGenerator {
    let proto: ProtocolDeclSyntax
    let methods: [APIMethod]
    let base: APIPath
    let keys: String?

    private var name: String { proto.name.plainText }

    /// `public `, or nothing if members are as visible as their type.
    private var access: String {
        proto.modifiers.map(\.name.text).first { ["public", "package"].contains($0) }.map { "\($0) " } ?? ""
    }

    /// What the types have in common with the protocol: access, isolation and availability.
    private var prefix: String {
        let attributes = proto.attributes.compactMap { $0.as(AttributeSyntax.self) }
            .filter { $0.name == "available" || $0.name.hasSuffix("Actor") }.map(\.trimmedDescription)
        return (attributes + proto.modifiers.map(\.trimmedDescription)).map { "\($0) " }.joined()
    }

    private var types: [AssociatedTypeDeclSyntax] {
        proto.memberBlock.members.compactMap { $0.decl.as(AssociatedTypeDeclSyntax.self) }
    }

    private var generics: String {
        let names = types.map { "\($0.name)\($0.inheritanceClause.map { "\($0.trimmed)" } ?? "")" }
        return names.isEmpty ? "" : "<\(names.joined(separator: ", "))>"
    }

    private var requirements: String {
        let all = types.compactMap(\.genericWhereClause).flatMap { $0.requirements.map { "\($0.requirement.trimmed)" } }
        return all.isEmpty ? "" : " where \(all.joined(separator: ", "))"
    }

    // MARK: The client

    var client: DeclSyntax {
        """
        /// Sends the requests of ``\(raw: name)``.
        \(raw: prefix)struct \(raw: name)Client\(raw: generics): \(raw: name), Sendable\(raw: requirements) {
            private let client: any NetworkClientProtocol

            /// - Parameter client: the client that sends the requests, with the base URL in its environment.
            \(raw: access)init(_ client: any NetworkClientProtocol) {
                self.client = client
            }
        \(raw: methods.map { "\n\(declaration($0)) {\n\(call($0))\n    }" }.joined(separator: "\n"))
        }
        """
    }

    /// The function without the attributes of this package, and without `Query<…>` and the like.
    private func declaration(_ method: APIMethod) -> String {
        var function = method.function.trimmed
        function.attributes = function.attributes.filter {
            $0.as(AttributeSyntax.self).map { !APIMethod.markers.contains($0.name) } ?? true
        }
        function.attributes = AttributeListSyntax(function.attributes.map { $0.with(\.leadingTrivia, []) })
        var list = function.signature.parameterClause.parameters
        for (index, parameter) in zip(list.indices, method.parameters) { list[index].type = parameter.type }
        function.signature.parameterClause.parameters = list
        function.modifiers.leadingTrivia = []
        function.funcKeyword.leadingTrivia = []
        let attributes = function.attributes.isEmpty ? "" : "\(function.attributes.trimmed) "
        function.attributes = []
        return "    \(attributes)\(access)\(function.trimmed)"
    }

    private func call(_ method: APIMethod) -> String {
        let names = method.parameters.map(\.name.plainText)
        let call = names.contains("call") ? "apiCall" : "call"
        let type = method.result.decoded?.trimmedDescription ?? "EmptyResponse"
        let path = (base.components + method.path.components).joined(separator: ", ")
        let slash = method.path.endsInSlash ? ", endsInSlash: true" : ""
        let steps = steps(method).map { "        \(call).\($0)" }
        let ask: String
        switch method.result {
        case .nothing: ask = "_ = try await \(call).value(from: client)"
        case .value: ask = "return try await \(call).value(from: client)"
        case .response: ask = "return try await \(call).response(from: client)"
        case .outcome: ask = "return await \(call).outcome(from: client)"
        case .events: ask = "return \(call).events(from: client\(argument("configuration", .configuration, method)))"
        case .download:
            let options = argument("to", .destination, method) + argument("options", .options, method)
            ask = "return \(call).download(from: client\(options))"
        case .upload: ask = "return \(call).upload(to: client)"
        }
        let client = names.contains("client") ? "self.client" : "client"
        return """
                    \(steps.isEmpty ? "let" : "var") \(call) = APICall<\(type)>(.\(method.verb.lowercased()), [\(path)]\(slash))
            \((steps + ["        \(ask)"]).joined(separator: "\n"))
            """.replacing("client)", with: "\(client))").replacing("client,", with: "\(client),")
    }

    private func argument(_ label: String, _ role: APIParameter.Role, _ method: APIMethod) -> String {
        method.parameters.first { $0.role == role }.map { ", \(label): \($0.name.text)" } ?? ""
    }

    /// The calls that complete the request.
    private func steps(_ method: APIMethod) -> [String] {
        var steps: [String] = []
        let inherited = method.settings.contains {
            $0.name == "Headers" && method.function.attributes(["Headers"]).contains($0)
        }
        if inherited, let common = proto.attributes(["Headers"]).first { steps.append(step(common)) }
        steps += method.settings.map(step)
        if method.isMultipart { steps.append("multipart()") }
        for parameter in method.parameters {
            let (wire, value) = (parameter.wireName(keys), parameter.name.text)
            let extra = (parameter.attribute?.labeled ?? []).filter {
                ["as", "filename", "mimeType"].contains($0.label?.text)
            }
            .map { ", \($0.with(\.trailingComma, nil).trimmed)" }.joined()
            switch parameter.role {
            case .query: steps.append("query(\(wire), \(value))")
            case .queryObject: steps.append("queryObject(\(value))")
            case .header: steps.append("header(\(wire), \"\\(\(value))\")")
            case .body:
                if case .upload = method.result {
                    steps.append("content(\(value))")
                } else {
                    steps.append("body(\(value)\(extra))")
                }
            case .part: steps.append("part(\(wire), \(value)\(extra))")
            case .path, .destination, .options, .configuration: break
            }
        }
        return steps
    }

    /// `timeout(5)` for `@Timeout(5)`.
    private func step(_ attribute: AttributeSyntax) -> String {
        "\(attribute.name.lowercased())(\(attribute.labeled.map { "\($0.trimmed)" }.joined(separator: ", ")))"
    }

    // MARK: The mock

    var mock: DeclSyntax {
        """
        /// Answers the calls of ``\(raw: name)`` by closures, and records them.
        \(raw: prefix)final class \(raw: name)Mock\(raw: generics): \(raw: name), Sendable\(raw: requirements) {
            \(raw: access)init() {}
        \(raw: methods.map { "\n\(members(of: $0))" }.joined(separator: "\n"))
        }
        """
    }

    private func members(of method: APIMethod) -> String {
        let handler = "on\(method.name.capitalizedFirst)"
        let storage = "\(method.name)Method"
        let types = method.parameters.map { erased($0.type, method) }
        let names = method.parameters.map(\.name.text)
        let tuple = zip(names, types).map { "\($0): \($1)" }.joined(separator: ", ")
        let recorded = types.count == 1 ? types[0] : types.isEmpty ? "Void" : "(\(tuple))"
        let values = names.count == 1 ? names[0] : "(\(names.map { "\($0): \($0)" }.joined(separator: ", ")))"
        let signature = method.function.signature
        let effects = signature.effectSpecifiers.map { " \($0.trimmed)" } ?? ""
        let result = signature.returnClause.map { erased($0.type.trimmed, method) } ?? "Void"
        let closure = "@Sendable (\(types.joined(separator: ", ")))\(effects) -> \(result)"
        let isCast = signature.returnClause.map { result != $0.type.trimmedDescription } ?? false
        let call = "(\(names.joined(separator: ", ")))"
        let answer: String
        switch method.result {
        case .nothing, .value, .response:
            let value = "await \(storage).handle(\(values))\(call)"
            answer = isCast ? "try \(storage).cast(\(value))" : "try \(value)"
        case .outcome:
            let cast = isCast ? ".map { value in try \(storage).cast(value) }" : ""
            answer =
                "await \(storage).response(\(values)) { handler in \(signature.effectSpecifiers?.throwsClause == nil ? "" : "try ")await handler\(call)\(cast) }"
        case .events: answer = "\(storage).events(\(values)) { handler in handler\(call) }"
        case .download, .upload: answer = "\(storage).transfer(\(values)) { handler in handler\(call) }"
        }
        return """
                private let \(storage) = APIMockMethod<\(recorded), \(closure)>("\(name)Mock.\(handler)")

                /// Answers `\(method.name)`.
                \(access)var \(handler): (\(closure))? {
                    get { \(storage).handler }
                    set { \(storage).handler = newValue }
                }

                /// The arguments of the calls of `\(method.name)`, in order.
                \(access)var \(method.name)Calls: [\(recorded)] { \(storage).calls }

            \(declaration(method)) {
                    \(answer)
                }
            """
    }

    /// The type with `any P` in place of a generic parameter or `some P`, since a closure cannot be generic.
    private func erased(_ type: TypeSyntax, _ method: APIMethod) -> String {
        let parameters = method.function.genericParameterClause?.parameters
        var constraints: [String: String] = [:]
        for parameter in parameters ?? [] {
            let whereClause = method.function.genericWhereClause?.requirements.compactMap { requirement -> String? in
                guard case .conformanceRequirement(let conformance) = requirement.requirement,
                    conformance.leftType.trimmedDescription == parameter.name.text
                else { return nil }
                return conformance.rightType.trimmedDescription
            }
            let all = (parameter.inheritedType.map { [$0.trimmedDescription] } ?? []) + (whereClause ?? [])
            constraints[parameter.name.text] = all.isEmpty ? "Any" : all.joined(separator: " & ")
        }
        return Eraser(constraints: constraints).rewrite(type).trimmedDescription
    }
}

private final class Eraser: SyntaxRewriter {
    let constraints: [String: String]

    init(constraints: [String: String]) { self.constraints = constraints }

    override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
        guard let constraint = constraints[node.name.text] else { return super.visit(node) }
        return "(any \(raw: constraint))"
    }

    override func visit(_ node: SomeOrAnyTypeSyntax) -> TypeSyntax {
        "(any \(node.constraint.trimmed))"
    }
}
