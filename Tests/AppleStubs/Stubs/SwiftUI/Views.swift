public import Foundation
public import ImageIO

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
