/// Portuguese as written in Brazil.
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
        case .unsupported(let advice): "Este recurso não está disponível aqui. \(note(advice))"
        }
    }

    func reason(of problem: TransportProblem) -> String {
        switch problem {
        case .nameNotResolved: "O endereço do servidor não foi encontrado."
        case .connectionRefused: "O servidor recusou a conexão."
        case .hostUnreachable: "Não há rota de rede até o servidor."
        case .connectionReset: "O servidor redefiniu a conexão."
        case .connectionLost: "A conexão com o servidor foi perdida."
        case .connectTimeout: "A conexão não foi estabelecida a tempo."
        case .idleTimeout: "Nenhum dado foi enviado ou recebido por tempo demais."
        case .totalTimeout: "A solicitação demorou no total mais do que o permitido."
        case .httpToTLS: "O endereço começa com http, mas o servidor espera https."
        case .tlsToHTTP: "O endereço começa com https, mas o servidor usa http."
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
        case .unservedRequest: "O servidor não executou a solicitação."
        case .other: "A conexão falhou por um motivo inesperado."
        }
    }

    func reason(of reason: NetworkUnavailableReason) -> String {
        switch reason {
        case .cellular: "Só há uma rede celular disponível, e o uso dela não é permitido."
        case .expensive: "Só há uma rede que pode gerar custos disponível, e o uso dela não é permitido."
        case .constrained: "A rede está no modo de dados reduzidos."
        case .localNetworkProhibited: "O app não tem permissão para usar a rede local."
        }
    }

    func failure(in phase: TransportError.Phase?, host: String) -> String {
        switch phase {
        case nil: "A solicitação ao servidor \(host) falhou."
        case .preparing: "Não foi possível iniciar a solicitação ao servidor \(host)."
        case .resolving: "Não foi possível obter o endereço do servidor \(host)."
        case .connecting: "Não foi possível abrir uma conexão com o servidor \(host)."
        case .securing: "Não foi possível negociar uma conexão segura com o servidor \(host)."
        case .sending: "Não foi possível enviar a solicitação ao servidor \(host)."
        case .waiting: "A solicitação foi enviada ao servidor \(host), mas nenhuma resposta chegou."
        case .receivingHead: "Não foi possível receber o início da resposta do servidor \(host)."
        case .receivingBody: "Não foi possível receber por completo a resposta do servidor \(host)."
        }
    }

    func text(of mismatch: DecodingMismatch) -> String {
        switch mismatch {
        case .unexpected(let path, let expected, let found?):
            "\(place(path)), era esperado \(expected), mas foi encontrado \(found)."
        case .unexpected(let path, let expected, nil): "\(place(path)), era esperado \(expected)."
        case .missing(let key, let path): "\(place(path)), falta a chave \(key)."
        case .unfit(let path, let type):
            "\(place(path)), o valor não corresponde ao tipo esperado\(suffix(type))."
        case .malformed: "Os dados estão malformados."
        }
    }

    private func place(_ path: String?) -> String { path.map { "Em \($0)" } ?? "No nível superior" }

    func text(ofContentType contentType: String) -> String { "A resposta é \(contentType), e não JSON." }

    func note(_ text: String) -> String { "Observação técnica: \(text)" }

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
