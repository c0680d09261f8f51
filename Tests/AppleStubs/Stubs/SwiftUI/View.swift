// So much of SwiftUI as Docs/SwiftUI.md shows: it compiles, and draws nothing.
public import Combine
public import Foundation
public import ImageIO

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

// https://developer.apple.com/documentation/swiftui

public struct Text: PrimitiveView { public init(_ content: String) {} }

public struct ProgressView: PrimitiveView {
    public init() {}
    public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1) {}
}

public struct Color: PrimitiveView, Sendable {
    public static let gray = Color()
    public func opacity(_ opacity: Double) -> Color { self }
}

public struct Image: PrimitiveView {
    public init(systemName: String) {}
    public init(decorative image: CGImage, scale: CGFloat) {}
    public func resizable() -> Image { self }
}

public struct Button<Label: View>: PrimitiveView {
    public init(_ title: String, action: @escaping @MainActor () -> Void) where Label == Text {}
}

public struct VStack<Content: View>: PrimitiveView { public init(@ViewBuilder content: () -> Content) {} }

public struct ZStack<Content: View>: PrimitiveView { public init(@ViewBuilder content: () -> Content) {} }

public struct List<Content: View>: PrimitiveView {
    public init<Data: RandomAccessCollection, ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> Content
    ) {}
}

/// https://developer.apple.com/documentation/swiftui/stateobject
@MainActor @preconcurrency @propertyWrapper
public struct StateObject<ObjectType: ObservableObject> {
    private nonisolated(unsafe) let make: () -> ObjectType

    public nonisolated init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) { make = thunk }
    public var wrappedValue: ObjectType { make() }
}

/// https://developer.apple.com/documentation/swiftui/state
@propertyWrapper
public struct State<Value> {
    public var wrappedValue: Value

    public init(wrappedValue value: Value) { wrappedValue = value }
}
