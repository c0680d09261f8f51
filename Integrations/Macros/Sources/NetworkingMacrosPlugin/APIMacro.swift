import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@API`: generates a client and a mock from a protocol.
struct APIMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let problems = Problems()
        guard let proto = declaration.as(ProtocolDeclSyntax.self) else {
            problems.add("@API belongs to a protocol.", at: node)
            problems.found.forEach(context.diagnose)
            return []
        }
        let methods = methods(of: proto, problems)
        let base = APIPath(node, problems)
        if let name = base.names.first { problems.add("The base path has no parameters: '{\(name)}'.", at: node) }
        let keys = node["keys"]?.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        let mock = node["mock"]?.as(BooleanLiteralExprSyntax.self)?.literal.text
        if let value = node["keys"], keys == nil { problems.add("Write the case: .snakeCase.", at: value) }
        if let value = node["mock"], mock == nil { problems.add("Write true or false.", at: value) }
        problems.found.forEach(context.diagnose)
        guard problems.found.isEmpty else { return [] }
        let generator = APIGenerator(proto: proto, methods: methods, base: base, keys: keys)
        return [generator.client] + (mock == "false" ? [] : [generator.mock])
    }

    private static func methods(of proto: ProtocolDeclSyntax, _ problems: Problems) -> [APIMethod] {
        var methods: [APIMethod] = []
        var names: Set<String> = []
        for member in proto.memberBlock.members {
            if let function = member.decl.as(FunctionDeclSyntax.self) {
                guard let method = APIMethod(function, of: proto, problems) else { continue }
                if !names.insert(method.name).inserted {
                    problems.add(
                        "Another method has this name. The mock needs a name for each method.",
                        at: function.name)
                }
                methods.append(method)
            } else if !member.decl.is(AssociatedTypeDeclSyntax.self), !member.decl.is(TypeAliasDeclSyntax.self) {
                problems.add(
                    "An @API protocol has only methods and types. Move this to another protocol.", at: member.decl)
            }
        }
        return methods
    }
}

/// The other attributes, which ``APIMacro`` reads. They generate nothing.
struct Marker: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let proto = declaration.as(ProtocolDeclSyntax.self) ?? context.lexicalContext.first?.as(ProtocolDeclSyntax.self)
        let isAtMethod = declaration.is(FunctionDeclSyntax.self)
        if proto?.attributes(["API"]).isEmpty != false || !isAtMethod && !APIMethod.settings.contains(node.name) {
            let problems = Problems()
            problems.add("@\(node.name) has no effect here. It belongs to a method of an @API protocol.", at: node)
            problems.found.forEach(context.diagnose)
        }
        return []
    }
}
