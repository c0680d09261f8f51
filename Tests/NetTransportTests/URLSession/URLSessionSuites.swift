import Testing

/// Everything about `URLSessionTransport`, one test after the other: on Linux all sessions of a process share the threads and
/// the queue of FoundationNetworking, and tests that wait for one another's sessions run into their time limits.
@Suite(.serialized) enum URLSessionSuites {}
