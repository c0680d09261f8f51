// So much of SwiftUI as Docs/SwiftUI.md shows: it compiles, and draws nothing.
public import Foundation

/// https://developer.apple.com/documentation/swiftui/view
@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public typealias Body = Never
    public var body: Never { fatalError("SwiftUI does not run here") }
}

/// A view of SwiftUI's own.
@MainActor @preconcurrency
public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView { public var body: Never { fatalError("SwiftUI does not run here") } }

/// Any arrangement of views.
public struct Composite<Content>: PrimitiveView { nonisolated init() {} }

extension Optional: View where Wrapped: View {
    public typealias Body = Never
    public var body: Never { fatalError("SwiftUI does not run here") }
}

/// https://developer.apple.com/documentation/swiftui/viewbuilder
@resultBuilder
public enum ViewBuilder {
    @MainActor public static func buildBlock<each Content: View>(_ content: repeat each Content) -> some View {
        Composite<(repeat each Content)>()
    }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    @MainActor public static func buildEither<First: View, Second: View>(
        first: First
    ) -> Composite<(First, Second)> { Composite() }
    @MainActor public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> Composite<(First, Second)> { Composite() }
}

/// https://developer.apple.com/documentation/swiftui/previewprovider
@MainActor @preconcurrency
public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}

extension View {
    public func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { Composite<Self>() }

    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { Composite<Self>() }
    public func overlay<Content: View>(@ViewBuilder content: () -> Content) -> some View { Composite<Self>() }

    public func safeAreaInset<Content: View>(
        edge: VerticalEdge, @ViewBuilder content: () -> Content
    ) -> some View { Composite<Self>() }

    public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View { Composite<Self>() }
    public func scaledToFill() -> some View { Composite<Self>() }
    public func clipped(antialiased: Bool = false) -> some View { Composite<Self>() }
    public func id<ID: Hashable>(_ id: ID) -> some View { Composite<Self>() }
}

/// https://developer.apple.com/documentation/swiftui/verticaledge
public enum VerticalEdge: Sendable { case bottom }
