@_exported public import NetCache
@_exported public import NetClient
@_exported public import NetCore
@_exported public import NetLogging
@_exported public import NetSecurity
@_exported public import NetTransfer
@_exported public import NetWebSocket
