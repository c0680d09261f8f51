@_exported public import NetTransfer
