/// An interceptor that decides about most requests without waiting: a limit with a free place, a check that the request passes.
///
/// The pipeline asks neighbours of this kind one after another in one function, and calls ``HTTPInterceptor/intercept(_:next:)`` only if one
/// has to wait. Calling that method for each of them would cost more than their work.
package protocol ImmediateInterceptor: HTTPInterceptor {
    /// Decides about a request. Changes neither the request nor `next`.
    ///
    /// - Throws: the error of a request that is refused.
    func admit(_ request: inout AdmissionRequest, _ next: Next) throws -> Admission

    /// Waits for the admission of a request after ``Admission/waits``. Returns the ticket of the request, as ``Admission/passes(_:)`` does.
    func waitForAdmission(of request: URLRequest, _ next: Next) async throws -> Admission.Ticket?

    /// Handles the response to a request with a ticket.
    func receive(_ response: inout TransportResponse, to request: URLRequest, _ ticket: Admission.Ticket, _ next: Next)

    /// Handles the error of a request with a ticket.
    func receive(_ error: any Error, of request: URLRequest, _ ticket: Admission.Ticket, _ next: Next)
}

/// The decision of an ``ImmediateInterceptor``.
package enum Admission: Sendable {
    /// The request passes. With a ticket, the interceptor also gets its outcome.
    case passes(Ticket?)
    /// The interceptor has to wait before it can decide. It has changed nothing.
    case waits

    /// The state of the interceptor for one request.
    package struct Ticket: Sendable {
        package var origin: Origin?
        package var generation: UInt64

        package init(origin: Origin? = nil, generation: UInt64 = 0) {
            self.origin = origin
            self.generation = generation
        }
    }
}

/// A request and its origin, which several ``ImmediateInterceptor``s share. Reading the origin from the URL takes longer than using it.
package struct AdmissionRequest {
    package let request: URLRequest
    package private(set) lazy var origin = request.url?.origin

    package init(_ request: URLRequest) { self.request = request }
}

extension ImmediateInterceptor {
    package func waitForAdmission(of request: URLRequest, _ next: Next) async throws -> Admission.Ticket? { nil }

    package func receive(
        _ response: inout TransportResponse, to request: URLRequest, _ ticket: Admission.Ticket, _ next: Next
    ) {}

    package func receive(_ error: any Error, of request: URLRequest, _ ticket: Admission.Ticket, _ next: Next) {}

    /// Handles a request by this interceptor alone: the ``HTTPInterceptor/intercept(_:next:)`` of one that only delays requests or observes them.
    package func admitAndSend(_ request: URLRequest, _ next: Next) async throws -> TransportResponse {
        var asked = AdmissionRequest(request)
        let ticket: Admission.Ticket? =
            switch try admit(&asked, next) {
            case .passes(let ticket): ticket
            case .waits: try await waitForAdmission(of: request, next)
            }
        guard let ticket else { return try await next(request) }
        do {
            var response = try await next(request)
            receive(&response, to: request, ticket, next)
            return response
        } catch {
            receive(error, of: request, ticket, next)
            throw error
        }
    }
}
