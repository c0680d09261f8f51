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
public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    @MainActor
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

    public init(_ code: Code) {
        self.code = code
    }
}

/// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession
///
/// Shows no sheet: ``FakeSheet`` plays the user and the server. Its completion handler comes on the main thread, and on no other.
open class ASWebAuthenticationSession: NSObject, @unchecked Sendable {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    let url: URL
    let callbackURLScheme: String?
    private var completionHandler: CompletionHandler?
    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false

    public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {
        url = URL
        self.callbackURLScheme = callbackURLScheme
        self.completionHandler = completionHandler
    }

    /// False if it was started before, or cannot be.
    @discardableResult
    open func start() -> Bool {
        MainActor.assumeIsolated {
            guard completionHandler != nil, let play = FakeSheet.play else { return false }
            guard let provider = presentationContextProvider else {
                finish(nil, ASWebAuthenticationSessionError(.presentationContextNotProvided))
                return false
            }
            _ = provider.presentationAnchor(for: self)
            play(self)
            return true
        }
    }

    open func cancel() {
        finish(nil, ASWebAuthenticationSessionError(.canceledLogin))
    }

    /// Ends it, once, on the main thread a little later, as a sheet that closes does.
    public func finish(_ callback: URL?, _ error: (any Error)?) {
        guard let handler = completionHandler else { return }
        completionHandler = nil
        nonisolated(unsafe) let answer = { handler(callback, error) }
        Task { @MainActor in answer() }
    }

    /// What it was made with, for tests.
    public var page: URL { url }
    public var scheme: String? { callbackURLScheme }
}

/// The user, and the page that is shown.
@MainActor
public enum FakeSheet {
    /// Called when a sheet comes up; nil if the system shows none now.
    public static var play: ((ASWebAuthenticationSession) -> Void)?
}
