public import AppleLiberties
public import Foundation

/// https://developer.apple.com/documentation/authenticationservices/aspresentationanchor
///
/// `UIWindow` or `NSWindow` there.
public typealias ASPresentationAnchor = FakeWindow

@MainActor
public final class FakeWindow: NSObject {
    public override init() { super.init() }
}

/// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationpresentationcontextproviding
///
/// Of the main actor since the SDKs of 2025. `Scripts/test-apple` type-checks against both spellings.
#if !SDK_OF_XCODE_16
    @MainActor
#endif
public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

/// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsessionerror
public struct ASWebAuthenticationSessionError: Error, Hashable, Sendable {
    /// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsessionerror/code
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }

    public let code: Code

    public init(_ code: Code) { self.code = code }
}

/// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession
///
/// Shows no sheet: ``FakeSheet`` plays the user and the server. What is not documented (where the completion handler comes, how often, when,
/// and whether `cancel()` calls it) is as ``FakeSheet/behavior`` says.
///
/// This module is compiled in the Swift 5 mode, as Apple's headers are imported: a closure that is isolated to the main actor, and one is by
/// inference if it is written in a method of the main actor and is not `@Sendable`, traps if it is called elsewhere.
open class ASWebAuthenticationSession: NSObject, @unchecked Sendable {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    /// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession/callback
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public final class Callback: NSObject, @unchecked Sendable {
        enum Kind {
            case scheme(String)
            case https(host: String, path: String)
        }

        let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }
        public class func customScheme(_ customScheme: String) -> Callback { Callback(.scheme(customScheme)) }
        public class func https(host: String, path: String) -> Callback { Callback(.https(host: host, path: path)) }

        public func matchesURL(_ url: URL) -> Bool {
            switch kind {
            case .scheme(let scheme): url.scheme?.lowercased() == scheme.lowercased()
            case .https(let host, let path):
                url.scheme?.lowercased() == "https" && url.host?.lowercased() == host.lowercased() && url.path == path
            }
        }
    }

    /// What it was made with, for tests.
    public let page: URL
    public let scheme: String?
    private let matches: (URL) -> Bool
    private var completionHandler: CompletionHandler?
    private var hasStarted = false
    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false

    public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {
        (page, scheme) = (URL, callbackURLScheme)
        // A scheme of the web is none of the app's own: the sheet never comes back to it.
        matches = { callback in
            let scheme = callbackURLScheme?.lowercased()
            return scheme != "https" && scheme != "http" && callback.scheme?.lowercased() == scheme
        }
        self.completionHandler = completionHandler
    }

    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
        page = URL
        scheme = if case .scheme(let name) = callback.kind { name } else { nil }
        matches = { callback.matchesURL($0) }
        self.completionHandler = completionHandler
    }

    /// False if it was started before, or cannot be.
    @discardableResult
    open func start() -> Bool {
        MainActor.assumeIsolated {
            guard !hasStarted, let play = FakeSheet.play else { return false }
            hasStarted = true
            guard let provider = presentationContextProvider else {
                finish(nil, ASWebAuthenticationSessionError(.presentationContextNotProvided))
                return false
            }
            _ = provider.presentationAnchor(for: self)
            play(self)
            return true
        }
    }

    /// Dismisses the sheet. That the completion handler is called is not documented.
    open func cancel() {
        MainActor.assumeIsolated {
            let behavior = FakeSheet.behavior
            FakeSheet.cancelCount += 1
            call(nil, ASWebAuthenticationSessionError(.canceledLogin), times: behavior.callsAfterCancel, behavior)
        }
    }

    /// The user, or the page, ends it.
    @MainActor
    public func finish(_ callback: URL?, _ error: (any Error)?) {
        if let callback, !matches(callback) { return }
        call(callback, error, times: FakeSheet.behavior.calls, FakeSheet.behavior)
    }

    private func call(_ callback: URL?, _ error: (any Error)?, times: Int, _ behavior: FakeSheet.Behavior) {
        guard let handler = completionHandler else { return }
        if times > 0 { completionHandler = nil }
        nonisolated(unsafe) let answer = { handler(callback, error) }
        if behavior.isImmediate, times > 0 { answer() }
        for time in 0..<times where time > 0 || !behavior.isImmediate {
            behavior.queue.queue.asyncAfter(deadline: .now() + .milliseconds(behavior.delay)) { answer() }
        }
    }

    /// Whether a page of that URL would end it.
    public func comesBack(to callback: URL) -> Bool { matches(callback) }
}

/// The user, and the page that is shown.
@MainActor
public enum FakeSheet {
    /// What Apple's documentation leaves open.
    public struct Behavior: Sendable {
        /// Where the completion handler comes.
        public var queue = CallbackQueue.main
        /// How often it comes.
        public var calls = 1
        /// How often it comes after `cancel()`.
        public var callsAfterCancel = 1
        /// How late, in milliseconds.
        public var delay = 0
        /// Whether it comes, the first time, before the call returns that caused it.
        public var isImmediate = false

        public init(
            queue: CallbackQueue = .main, calls: Int = 1, callsAfterCancel: Int = 1, delay: Int = 0,
            isImmediate: Bool = false
        ) {
            (self.queue, self.calls, self.callsAfterCancel) = (queue, calls, callsAfterCancel)
            (self.delay, self.isImmediate) = (delay, isImmediate)
        }

        /// As the seed says.
        public static var chosen: Behavior {
            Behavior(
                queue: Liberties.pick("ASWebAuthenticationSession.queue", CallbackQueue.allCases),
                calls: Liberties.pick("ASWebAuthenticationSession.calls", [1, 2]),
                callsAfterCancel: Liberties.pick("ASWebAuthenticationSession.cancel", [1, 0, 2]),
                delay: Liberties.delay("ASWebAuthenticationSession.delay"),
                isImmediate: Liberties.pick("ASWebAuthenticationSession.immediate", [false, false, true]))
        }
    }

    /// Called when a sheet comes up; nil if the system shows none now.
    public static var play: ((ASWebAuthenticationSession) -> Void)?
    /// Tests set it.
    public static var behavior = Behavior.chosen
    /// How many sheets were dismissed.
    public static var cancelCount = 0
}
