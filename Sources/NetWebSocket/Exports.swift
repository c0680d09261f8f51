@_exported public import NetClient
