/// Portuguese as written in Portugal, Africa and Asia.
struct EuropeanPortugueseErrorTexts: ErrorTexts {
    func description(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "O URL é inválido."
        case .invalidRequest: "Não foi possível criar o pedido."
        case .requestFailed(let status, _): "O servidor devolveu o código \(status)."
        case .decodingError: "Não foi possível descodificar a resposta."
        case .noData: "O servidor não enviou quaisquer dados."
        case .downloadFailed: "A transferência falhou."
        case .uploadFailed: "O carregamento falhou."
        case .noInternetConnection: "Sem ligação à Internet."
        case .timeout: "O tempo limite do pedido esgotou-se."
        case .networkUnavailable: "A rede está indisponível."
        case .unknown: "Ocorreu um erro de rede desconhecido."
        case .cancelled: "O pedido foi cancelado."
        case .encodingError: "Não foi possível codificar o pedido."
        case .circuitOpen(let host, _): "De momento, o servidor \(host) não está a ser utilizado."
        case .pinningFailed(let host): "Não foi possível confirmar a identidade do servidor \(host)."
        case .bodyNotReplayable: "O pedido não pode ser enviado novamente."
        case .responseTooLarge: "A resposta é demasiado grande."
        case .tooManyRedirects: "Houve demasiados redirecionamentos."
        case .unsupported: "A operação não é suportada."
        }
    }

    func reason(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "O endereço está mal formado ou não começa por http nem por https."
        case .invalidRequest: "Falta uma parte do pedido ou esta não é permitida."
        case .requestFailed(400..<500, _): "O servidor não aceitou o pedido."
        case .requestFailed: "O servidor não conseguiu processar o pedido."
        case .decodingError: "A resposta continha dados imprevistos."
        case .noData: "O pedido foi bem-sucedido, mas a resposta está vazia."
        case .downloadFailed: "Não foi possível receber ou guardar o ficheiro na totalidade."
        case .uploadFailed: "Não foi possível ler ou enviar os dados na totalidade."
        case .noInternetConnection: "O dispositivo parece estar offline."
        case .timeout: "O servidor não respondeu atempadamente."
        case .networkUnavailable: "Não foi possível estabelecer a ligação ao servidor ou esta perdeu-se."
        case .unknown: "Desconhece-se o motivo."
        case .cancelled: "A operação foi interrompida antes de estar concluída."
        case .encodingError: "Os valores indicados não podem ser convertidos para o formato do pedido."
        case .circuitOpen: "Vários pedidos consecutivos falharam. Será feita uma nova tentativa mais tarde."
        case .pinningFailed: "Os certificados do servidor não coincidem com os previstos."
        case .bodyNotReplayable: "Os dados a enviar provêm de um fluxo que só pode ser lido uma vez."
        case .responseTooLarge(let limit): "A resposta ultrapassa o limite de \(limit) bytes."
        case .tooManyRedirects: "O servidor redirecionou mais vezes do que é permitido."
        case .unsupported(let advice): "Esta funcionalidade não está disponível aqui. \(note(advice))"
        }
    }

    func reason(of problem: TransportProblem) -> String {
        switch problem {
        case .nameNotResolved: "Não foi possível encontrar o endereço do servidor."
        case .connectionRefused: "O servidor recusou a ligação."
        case .hostUnreachable: "Não existe uma rota de rede para o servidor."
        case .connectionReset: "O servidor repôs a ligação."
        case .connectionLost: "Perdeu-se a ligação ao servidor."
        case .connectTimeout: "A ligação não foi estabelecida a tempo."
        case .idleTimeout: "Não foram enviados nem recebidos dados durante demasiado tempo."
        case .totalTimeout: "O pedido demorou no total mais do que é permitido."
        case .httpToTLS: "O endereço começa por http, mas o servidor espera https."
        case .tlsToHTTP: "O endereço começa por https, mas o servidor utiliza http."
        case .secureConnectionFailed: "Não foi possível estabelecer uma ligação segura ao servidor."
        case .certificateUntrusted: "O certificado do servidor não é fidedigno."
        case .clientCertificateRejected: "O certificado deste dispositivo não foi aceite."
        case .proxyFailed: "Não foi possível contactar o servidor proxy ou este recusou a ligação."
        case .malformedReply: "O servidor enviou uma resposta incompreensível."
        case .oversizedHead: "O servidor enviou mais dados de cabeçalho do que é permitido."
        case .truncatedBody: "A resposta do servidor não está completa."
        case .undecodableContent: "Não foi possível descomprimir o conteúdo da resposta."
        case .unreadableRequestBody: "Não foi possível ler na totalidade os dados a enviar."
        case .addressNotAllowed: "O endereço do servidor não é permitido."
        case .unservedRequest: "O servidor não executou o pedido."
        case .other: "A ligação falhou por um motivo imprevisto."
        }
    }

    func reason(of reason: NetworkUnavailableReason) -> String {
        switch reason {
        case .cellular: "Só está disponível uma rede móvel, cuja utilização não é permitida."
        case .expensive: "Só está disponível uma rede que pode implicar custos, cuja utilização não é permitida."
        case .constrained: "A rede está no modo de dados reduzidos."
        case .localNetworkProhibited: "A app não tem permissão para utilizar a rede local."
        }
    }

    func failure(in phase: TransportError.Phase?, host: String) -> String {
        switch phase {
        case nil: "O pedido ao servidor \(host) falhou."
        case .preparing: "Não foi possível iniciar o pedido ao servidor \(host)."
        case .resolving: "Não foi possível determinar o endereço do servidor \(host)."
        case .connecting: "Não foi possível abrir uma ligação ao servidor \(host)."
        case .securing: "Não foi possível negociar uma ligação segura ao servidor \(host)."
        case .sending: "Não foi possível enviar o pedido ao servidor \(host)."
        case .waiting: "O pedido foi enviado ao servidor \(host), mas não chegou nenhuma resposta."
        case .receivingHead: "Não foi possível receber o início da resposta do servidor \(host)."
        case .receivingBody: "Não foi possível receber na totalidade a resposta do servidor \(host)."
        }
    }

    func text(of mismatch: DecodingMismatch) -> String {
        switch mismatch {
        case .unexpected(let path, let expected, let found?):
            "\(place(path)), esperava-se \(expected), mas encontrou-se \(found)."
        case .unexpected(let path, let expected, nil): "\(place(path)), esperava-se \(expected)."
        case .missing(let key, let path): "\(place(path)), não existe a chave \(key)."
        case .unfit(let path, let type):
            "\(place(path)), o valor não é compatível com o tipo esperado\(suffix(type))."
        case .malformed: "Os dados não são válidos."
        }
    }

    private func place(_ path: String?) -> String { path.map { "Em \($0)" } ?? "No nível de topo" }

    func text(ofContentType contentType: String) -> String { "A resposta é do tipo \(contentType), não JSON." }

    func note(_ text: String) -> String { "Nota técnica: \(text)" }

    func text(of suggestion: RecoverySuggestion) -> String {
        switch suggestion {
        case .checkConnection: "Verifique a ligação à Internet e tente de novo."
        case .tryLater: "Tente de novo mais tarde."
        case .signIn: "Inicie sessão novamente."
        case .checkStorage: "Verifique se existe espaço de armazenamento suficiente e tente de novo."
        case .checkFile: "Verifique se o ficheiro ainda existe e pode ser lido e tente de novo."
        case .checkClockOrNetwork: "Verifique a data e a hora do dispositivo ou utilize outra rede."
        }
    }
}
