/// Portuguese as it is written in Brazil.
struct BrazilianPortugueseErrorTexts: ErrorTexts {
    func description(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "A URL é inválida."
        case .invalidRequest: "Não foi possível criar a solicitação."
        case .requestFailed(let status, _): "O servidor respondeu com o código \(status)."
        case .decodingError: "Não foi possível decodificar a resposta."
        case .noData: "O servidor não enviou nenhum dado."
        case .downloadFailed: "O download falhou."
        case .uploadFailed: "O upload falhou."
        case .noInternetConnection: "Sem conexão com a internet."
        case .timeout: "O tempo limite da solicitação se esgotou."
        case .networkUnavailable: "A rede não está disponível."
        case .unknown: "Ocorreu um erro desconhecido na rede."
        case .cancelled: "A solicitação foi cancelada."
        case .encodingError: "Não foi possível codificar a solicitação."
        case .circuitOpen(let host, _): "No momento, o servidor \(host) não está sendo usado."
        case .pinningFailed(let host): "Não foi possível verificar a identidade do servidor \(host)."
        case .bodyNotReplayable: "A solicitação não pode ser enviada novamente."
        case .responseTooLarge: "A resposta é grande demais."
        case .tooManyRedirects: "Houve redirecionamentos demais."
        case .unsupported: "Esta operação não tem suporte."
        }
    }

    func reason(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "O endereço está malformado ou não começa com http nem com https."
        case .invalidRequest: "Uma parte da solicitação está faltando ou não é permitida."
        case .requestFailed(400..<500, _): "O servidor não aceitou a solicitação."
        case .requestFailed: "O servidor não conseguiu processar a solicitação."
        case .decodingError: "A resposta continha dados inesperados."
        case .noData: "A solicitação teve êxito, mas a resposta veio vazia."
        case .downloadFailed: "Não foi possível receber ou salvar o arquivo por completo."
        case .uploadFailed: "Não foi possível ler ou enviar os dados por completo."
        case .noInternetConnection: "O dispositivo parece estar off-line."
        case .timeout: "O servidor não respondeu a tempo."
        case .networkUnavailable: "A conexão com o servidor não pôde ser estabelecida ou foi perdida."
        case .unknown: "O motivo é desconhecido."
        case .cancelled: "A operação foi interrompida antes de terminar."
        case .encodingError: "Os valores informados não podem ser convertidos para o formato da solicitação."
        case .circuitOpen: "Várias solicitações seguidas falharam. Uma nova tentativa será feita mais tarde."
        case .pinningFailed: "Os certificados do servidor não correspondem aos esperados."
        case .bodyNotReplayable: "Os dados a enviar vêm de um fluxo que só pode ser lido uma vez."
        case .responseTooLarge(let limit): "A resposta é maior que o limite de \(limit) bytes."
        case .tooManyRedirects: "O servidor redirecionou mais vezes do que o permitido."
        case .unsupported(let advice): "Este recurso não está disponível aqui. Observação técnica: \(advice)"
        }
    }

    func reason(of trouble: TransportTrouble) -> String {
        switch trouble {
        case .nameNotResolved: "O endereço do servidor não foi encontrado."
        case .secureConnectionFailed: "Não foi possível estabelecer uma conexão segura com o servidor."
        case .certificateUntrusted: "O certificado do servidor não é confiável."
        case .clientCertificateRejected: "O certificado deste dispositivo não foi aceito."
        case .proxyFailed: "O servidor proxy não pôde ser acessado ou recusou a conexão."
        case .malformedReply: "O servidor enviou uma resposta que não pode ser compreendida."
        case .oversizedHead: "O servidor enviou mais dados de cabeçalho do que o permitido."
        case .truncatedBody: "A resposta do servidor está incompleta."
        case .undecodableContent: "Não foi possível descompactar o conteúdo da resposta."
        case .unreadableRequestBody: "Não foi possível ler por completo os dados a enviar."
        case .addressNotAllowed: "O acesso ao endereço do servidor não é permitido."
        case .other: "A conexão falhou por um motivo inesperado."
        }
    }

    func text(of suggestion: RecoverySuggestion) -> String {
        switch suggestion {
        case .checkConnection: "Verifique a conexão com a internet e tente novamente."
        case .tryLater: "Tente novamente mais tarde."
        case .signIn: "Faça login novamente."
        case .checkStorage: "Verifique se há espaço de armazenamento suficiente e tente novamente."
        case .checkFile: "Verifique se o arquivo ainda existe e pode ser lido e tente novamente."
        case .checkClockOrNetwork: "Verifique a data e a hora do dispositivo ou use outra rede."
        }
    }
}
