// So much of WatchKit as Docs/Transfers.md shows: it compiles, and does nothing.
public import Foundation

/// https://developer.apple.com/documentation/watchkit/wkrefreshbackgroundtask
@MainActor open class WKRefreshBackgroundTask: NSObject {
    open func setTaskCompletedWithSnapshot(_ refreshSnapshot: Bool) {}
}

/// https://developer.apple.com/documentation/watchkit/wkurlsessionrefreshbackgroundtask
@MainActor open class WKURLSessionRefreshBackgroundTask: WKRefreshBackgroundTask {
    open var sessionIdentifier: String { "" }
}

/// https://developer.apple.com/documentation/watchkit/wkapplicationdelegate
///
/// As in UIKit's stand-in, the method that our guides show has to be there.
@MainActor public protocol WKApplicationDelegate: NSObjectProtocol {
    func handle(_ backgroundTasks: Set<WKRefreshBackgroundTask>)
}
