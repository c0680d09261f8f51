@_exported public import NetCore
@_exported public import NetTransport
