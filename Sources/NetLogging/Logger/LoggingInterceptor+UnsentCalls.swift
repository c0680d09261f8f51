import NetCore

extension LoggingInterceptor: UnsentCallReporting {
    package func reportUnsent(_ call: String, advice: String) {
        logger.logMessage(unsentCallText(call, advice: advice), level: .warning, logPrivacy: .public)
    }
}
