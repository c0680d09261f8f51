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

    /// `public struct UsersClient: Users, Sendable`, with the protocol's access, isolation, availability and types.
    private func head(_ kind: String, _ suffix: String) -> String {
        let attributes = proto.attributes.compactMap { $0.as(AttributeSyntax.self) }
            .filter { $0.name == "available" || $0.name.hasSuffix("Actor") }.map(\.trimmedDescription)
        let prefix = (attributes + proto.modifiers.map(\.trimmedDescription)).map { "\($0) " }.joined()
        let types = proto.memberBlock.members.compactMap { $0.decl.as(AssociatedTypeDeclSyntax.self) }
        let generics = types.map { "\($0.name.trimmed)\($0.inheritanceClause.map { "\($0.trimmed)" } ?? "")" }
        let requirements = types.flatMap {
            $0.genericWhereClause?.requirements.map { "\($0.requirement.trimmed)" } ?? []
        }
        return "\(prefix)\(kind) \(name)\(suffix)\(generics.isEmpty ? "" : "<\(generics.joined(separator: ", "))>"): "
            + "\(name), Sendable\(requirements.isEmpty ? "" : " where \(requirements.joined(separator: ", "))")"
    }

    // MARK: The client

    var client: DeclSyntax {
        """
        /// Sends the requests of ``\(raw: name)``.
        \(raw: head("struct", "Client")) {
            private let client: any NetworkClientProtocol

            /// - Parameter client: the client that sends the requests, with the base URL in its environment.
            \(raw: access)init(_ client: any NetworkClientProtocol) {
                self.client = client
            }
        \(raw: methods.map { "\n    \(declaration($0)) {\n\(body($0))\n    }" }.joined(separator: "\n"))
        }
        """
    }

    /// The function without the attributes of this package, and without `Query<…>` and the like.
    private func declaration(_ method: APIMethod) -> String {
        var function = method.function
        let attributes = function.attributes.compactMap { $0.as(AttributeSyntax.self) }
            .filter { !APIMethod.markers.contains($0.name) }
        function.attributes = []
        for (index, parameter) in zip(function.signature.parameterClause.parameters.indices, method.parameters) {
            function.signature.parameterClause.parameters[index].type = parameter.type
        }
        return attributes.map { "\($0.trimmed) " }.joined() + access + function.trimmedDescription
    }

    private func body(_ method: APIMethod) -> String {
        let names = method.parameters.map(\.name.plainText)
        let call = names.contains("call") ? "apiCall" : "call"
        let client = names.contains("client") ? "self.client" : "client"
        func argument(_ label: String, _ role: APIParameter.Role) -> String {
            method.parameters.first { $0.role == role }.map { ", \(label): \($0.name.text)" } ?? ""
        }
        let answer =
            switch method.result {
            case .nothing: "_ = try await \(call).value(from: \(client))"
            case .value: "return try await \(call).value(from: \(client))"
            case .response: "return try await \(call).response(from: \(client))"
            case .outcome: "return await \(call).outcome(from: \(client))"
            case .events: "return \(call).events(from: \(client)\(argument("configuration", .configuration)))"
            case .download:
                "return \(call).download(from: \(client)\(argument("to", .destination))\(argument("options", .options)))"
            case .upload: "return \(call).upload(to: \(client))"
            }
        let steps = steps(method).map { "\(call).\($0)" }
        let type = method.result.decoded?.trimmedDescription ?? "EmptyResponse"
        let path = (base.components + method.path.components).joined(separator: ", ")
        let slash = method.path.endsInSlash ? ", endsInSlash: true" : ""
        let start =
            "\(steps.isEmpty ? "let" : "var") \(call) = "
            + "APICall<\(type)>(.\(method.verb.name.lowercased()), [\(path)]\(slash))"
        return ([start] + steps + [answer]).map { "        \($0)" }.joined(separator: "\n")
    }

    /// The calls that complete the request.
    private func steps(_ method: APIMethod) -> [String] {
        let settings = method.settings.map { setting in
            "\(setting.name.lowercased())(\(setting.labeled.map { "\($0.trimmed)" }.joined(separator: ", ")))"
        }
        let parameters = method.parameters.compactMap { parameter -> String? in
            let (wire, value) = (parameter.wireName(keys), parameter.name.text)
            let extra =
                parameter.attribute?.labeled.filter { ["as", "filename", "mimeType"].contains($0.label?.text) }
                .map { ", \($0.with(\.trailingComma, nil).trimmed)" }.joined() ?? ""
            return switch (parameter.role, method.result) {
            case (.query, _): "query(\(wire), \(value))"
            case (.queryObject, _): "queryObject(\(value))"
            case (.header, _): "header(\(wire), \"\\(\(value))\")"
            case (.body, .upload): "content(\(value))"
            case (.body, _): "body(\(value)\(extra))"
            case (.part, _): "part(\(wire), \(value)\(extra))"
            default: nil
            }
        }
        return settings + (method.isMultipart ? ["multipart()"] : []) + parameters
    }

    // MARK: The mock

    var mock: DeclSyntax {
        """
        /// Answers the calls of ``\(raw: name)`` by closures, and records them.
        \(raw: head("final class", "Mock")) {
            \(raw: access)init() {}
        \(raw: methods.map { "\n\(members(of: $0))" }.joined(separator: "\n"))
        }
        """
    }

    private func members(of method: APIMethod) -> String {
        let (closure, storage) = ("on\(method.name.capitalizedFirst)", "\(method.name)Method")
        let eraser = Eraser(method.function)
        let types = method.parameters.map { eraser.rewrite($0.type).trimmedDescription }
        let names = method.parameters.map(\.name.text)
        let labeled = zip(names, types).map { "\($0): \($1)" }.joined(separator: ", ")
        let recorded = types.count == 1 ? types[0] : types.isEmpty ? "Void" : "(\(labeled))"
        let values = names.count == 1 ? names[0] : "(\(names.map { "\($0): \($0)" }.joined(separator: ", ")))"
        let signature = method.function.signature
        let returned = signature.returnClause.map { eraser.rewrite($0.type).trimmedDescription } ?? "Void"
        let isCast = signature.returnClause.map { returned != $0.type.trimmedDescription } ?? false
        let effects = signature.effectSpecifiers.map { " \($0.trimmed)" } ?? ""
        let handler = "@Sendable (\(types.joined(separator: ", ")))\(effects) -> \(returned)"
        let call = "(\(names.joined(separator: ", ")))"
        let answer =
            switch method.result {
            case .events: "\(storage).events(\(values)) { $0\(call) }"
            case .download, .upload: "\(storage).transfer(\(values)) { $0\(call) }"
            case .outcome where signature.effectSpecifiers?.throwsClause == nil:
                "await \(storage).response(\(values)) { await $0\(call) }"
            default:
                "try \(isCast ? "\(storage).cast(" : "")await \(storage).handle(\(values))\(call)\(isCast ? ")" : "")"
            }
        return """
                private let \(storage) = APIMockMethod<\(recorded), \(handler)>("\(name)Mock.\(closure)")

                /// Answers `\(method.name)`.
                \(access)var \(closure): (\(handler))? {
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
}

/// Writes `any P` in place of `some P` and of a generic parameter, since a closure cannot be generic.
private final class Eraser: SyntaxRewriter {
    private var constraints: [String: String] = [:]

    init(_ function: FunctionDeclSyntax) {
        for parameter in function.genericParameterClause?.parameters ?? [] {
            constraints[parameter.name.text] = parameter.inheritedType?.trimmedDescription ?? ""
        }
        for requirement in function.genericWhereClause?.requirements ?? [] {
            guard case .conformanceRequirement(let conformance) = requirement.requirement,
                let earlier = constraints[conformance.leftType.trimmedDescription]
            else { continue }
            constraints[conformance.leftType.trimmedDescription] =
                (earlier.isEmpty ? "" : "\(earlier) & ") + conformance.rightType.trimmedDescription
        }
    }

    override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
        guard let constraint = constraints[node.name.text] else { return super.visit(node) }
        return "(any \(raw: constraint.isEmpty ? "Sendable" : constraint))"
    }

    override func visit(_ node: SomeOrAnyTypeSyntax) -> TypeSyntax { "(any \(node.constraint.trimmed))" }
}
