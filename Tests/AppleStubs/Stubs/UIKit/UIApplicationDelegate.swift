// So much of UIKit as Docs/Transfers.md shows: it compiles, and does nothing.
public import Foundation

/// https://developer.apple.com/documentation/uikit/uiapplication
@MainActor open class UIApplication: NSObject {}

/// https://developer.apple.com/documentation/uikit/uiapplicationdelegate
///
/// UIKit calls the methods by their selectors, and a method with another signature never. So the one that our guides show has to be there.
@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)
}
