public import NetCore

extension NetworkClient: HTTPSending {}
