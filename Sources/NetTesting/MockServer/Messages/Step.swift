import NetCore

/// A step of a connection. A response, with its delays and its faults, is a list of steps.
package enum Step: Sendable {
    /// An action on the connection itself.
    package enum Action: Equatable, Sendable {
        case close
        case halfClose
        case reset
        case stall
    }

    /// Writes these bytes that many times.
    case write(Data, times: Int64)
    /// Writes nothing for that many seconds.
    case wait(TimeInterval)
    /// Paces the steps that follow.
    case pace(MockResponse.Pace)
    /// The last step.
    case perform(Action)

    static func write(_ data: Data) -> Step { .write(data, times: 1) }

    static func write(_ text: String) -> Step { .write(Data(text.utf8)) }

    /// The bytes to write. It saturates instead of overflowing, for responses without an end.
    var byteCount: Int64 {
        guard case .write(let data, let times) = self else { return 0 }
        let (product, overflow) = Int64(data.count).multipliedReportingOverflow(by: times)
        return overflow ? .max : product
    }
}

extension [Step] {
    var byteCount: Int64 {
        reduce(0) { sum, step in
            let (total, overflow) = sum.addingReportingOverflow(step.byteCount)
            return overflow ? .max : total
        }
    }

    /// Returns the steps up to that many bytes, and the steps after them.
    func split(afterBytes limit: Int64) -> (before: [Step], after: [Step]) {
        var (before, after): ([Step], [Step]) = ([], [])
        var remaining = limit
        for step in self {
            guard remaining > 0, case .write(let data, let times) = step, step.byteCount > remaining else {
                guard remaining > 0 else {
                    after.append(step)
                    continue
                }
                before.append(step)
                remaining -= step.byteCount
                continue
            }
            let (whole, part) = remaining.quotientAndRemainder(dividingBy: Int64(data.count))
            before += [.write(data, times: whole), .write(data.prefix(Int(part)))].filter { $0.byteCount > 0 }
            if part > 0 { after.append(.write(data.dropFirst(Int(part)))) }
            let left = times - whole - (part > 0 ? 1 : 0)
            if left > 0 { after.append(.write(data, times: left)) }
            remaining = 0
        }
        return (before, after)
    }
}
