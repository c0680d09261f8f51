// So much of XCUIAutomation as Docs/Testing.md shows: it compiles, and launches nothing.
public import Foundation

/// https://developer.apple.com/documentation/xcuiautomation/xcuielementquery
@MainActor
public final class XCUIElementQuery {
    public subscript(_ key: String) -> XCUIElement { XCUIElement() }
}

/// https://developer.apple.com/documentation/xcuiautomation/xcuielement
@MainActor
open class XCUIElement {
    init() {}
    public var staticTexts: XCUIElementQuery { XCUIElementQuery() }
    open func waitForExistence(timeout: TimeInterval) -> Bool { false }
}

/// https://developer.apple.com/documentation/xcuiautomation/xcuiapplication
open class XCUIApplication: XCUIElement {
    open var launchEnvironment: [String: String] = [:]

    public override init() {}
    open func launch() {}
}
