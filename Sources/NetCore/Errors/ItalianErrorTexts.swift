/// Italian.
struct ItalianErrorTexts: ErrorTexts {
    func description(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "L’URL non è valido."
        case .invalidRequest: "Impossibile creare la richiesta."
        case .requestFailed(let status, _): "Il server ha risposto con il codice \(status)."
        case .decodingError: "Impossibile decodificare la risposta."
        case .noData: "Il server non ha inviato dati."
        case .downloadFailed: "Il download non è riuscito."
        case .uploadFailed: "Il caricamento non è riuscito."
        case .noInternetConnection: "Nessuna connessione a Internet."
        case .timeout: "La richiesta è scaduta."
        case .networkUnavailable: "La rete non è disponibile."
        case .unknown: "Si è verificato un errore di rete sconosciuto."
        case .cancelled: "La richiesta è stata annullata."
        case .encodingError: "Impossibile codificare la richiesta."
        case .circuitOpen(let host, _): "Il server \(host) è temporaneamente escluso."
        case .pinningFailed(let host): "Impossibile verificare l’identità del server \(host)."
        case .bodyNotReplayable: "La richiesta non può essere inviata di nuovo."
        case .responseTooLarge: "La risposta è troppo grande."
        case .tooManyRedirects: "I reindirizzamenti sono troppi."
        case .unsupported: "L’operazione non è supportata."
        }
    }

    func reason(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "L’indirizzo non è corretto oppure non inizia con http o https."
        case .invalidRequest: "Una parte della richiesta manca o non è consentita."
        case .requestFailed(400..<500, _): "Il server non ha accettato la richiesta."
        case .requestFailed: "Il server non è riuscito a elaborare la richiesta."
        case .decodingError: "La risposta conteneva dati imprevisti."
        case .noData: "La richiesta è riuscita, ma la risposta è vuota."
        case .downloadFailed: "Non è stato possibile ricevere o salvare il file per intero."
        case .uploadFailed: "Non è stato possibile leggere o inviare i dati per intero."
        case .noInternetConnection: "Il dispositivo sembra essere offline."
        case .timeout: "Il server non ha risposto in tempo."
        case .networkUnavailable: "La connessione al server non è riuscita o è andata persa."
        case .unknown: "Il motivo non è noto."
        case .cancelled: "L’operazione è stata interrotta prima del completamento."
        case .encodingError: "I valori forniti non possono essere convertiti nel formato della richiesta."
        case .circuitOpen: "Diverse richieste consecutive non sono riuscite. Si riproverà più tardi."
        case .pinningFailed: "I certificati del server non corrispondono a quelli previsti."
        case .bodyNotReplayable: "I dati da inviare provengono da un flusso che può essere letto una sola volta."
        case .responseTooLarge(let limit): "La risposta supera il limite di \(limit) byte."
        case .tooManyRedirects: "Il server ha reindirizzato più volte di quanto consentito."
        case .unsupported(let advice): "Questa funzione non è disponibile qui. \(note(advice))"
        }
    }

    func reason(of problem: TransportProblem) -> String {
        switch problem {
        case .nameNotResolved: "L’indirizzo del server non è stato trovato."
        case .connectionRefused: "Il server ha rifiutato la connessione."
        case .hostUnreachable: "Nessun percorso di rete porta al server."
        case .connectionReset: "Il server ha reimpostato la connessione."
        case .connectionLost: "La connessione al server è andata persa."
        case .connectTimeout: "La connessione non è stata stabilita in tempo."
        case .idleTimeout: "Per troppo tempo non sono stati inviati o ricevuti dati."
        case .totalTimeout: "La richiesta ha richiesto in totale più tempo del consentito."
        case .httpToTLS: "L’indirizzo inizia con http, ma il server si aspetta https."
        case .tlsToHTTP: "L’indirizzo inizia con https, ma il server usa http."
        case .secureConnectionFailed: "Non è stato possibile stabilire una connessione sicura con il server."
        case .certificateUntrusted: "Il certificato del server non è attendibile."
        case .clientCertificateRejected: "Il certificato di questo dispositivo non è stato accettato."
        case .proxyFailed: "Il server proxy non è raggiungibile o ha rifiutato la connessione."
        case .malformedReply: "Il server ha inviato una risposta incomprensibile."
        case .oversizedHead: "Il server ha inviato più dati di intestazione di quanto consentito."
        case .truncatedBody: "La risposta del server è incompleta."
        case .undecodableContent: "Non è stato possibile decomprimere il contenuto della risposta."
        case .unreadableRequestBody: "Non è stato possibile leggere per intero i dati da inviare."
        case .addressNotAllowed: "L’indirizzo del server non è consentito."
        case .unservedRequest: "Il server non ha eseguito la richiesta."
        case .other: "La connessione non è riuscita per un motivo imprevisto."
        }
    }

    func reason(of reason: NetworkUnavailableReason) -> String {
        switch reason {
        case .cellular: "È disponibile solo una rete cellulare, il cui uso non è consentito."
        case .expensive: "È disponibile solo una rete che può comportare costi, il cui uso non è consentito."
        case .constrained: "La rete è in modalità dati ridotti."
        case .localNetworkProhibited: "L’app non è autorizzata a usare la rete locale."
        }
    }

    func failure(in phase: TransportError.Phase?, host: String) -> String {
        switch phase {
        case nil: "La richiesta al server \(host) non è riuscita."
        case .preparing: "Non è stato possibile avviare la richiesta al server \(host)."
        case .resolving: "Non è stato possibile ricavare l’indirizzo del server \(host)."
        case .connecting: "Non è stato possibile aprire una connessione con il server \(host)."
        case .securing: "Non è stato possibile negoziare una connessione sicura con il server \(host)."
        case .sending: "Non è stato possibile inviare la richiesta al server \(host)."
        case .waiting: "La richiesta è stata inviata al server \(host), ma non è arrivata alcuna risposta."
        case .receivingHead: "Non è stato possibile ricevere l’inizio della risposta del server \(host)."
        case .receivingBody: "Non è stato possibile ricevere per intero la risposta del server \(host)."
        }
    }

    func text(of mismatch: DecodingMismatch) -> String {
        switch mismatch {
        case .unexpected(let path, let expected, let found?):
            "\(place(path)) era previsto \(expected), ma è stato trovato \(found)."
        case .unexpected(let path, let expected, nil): "\(place(path)) era previsto \(expected)."
        case .missing(let key, let path): "\(place(path)) manca la chiave \(key)."
        case .unfit(let path, let type):
            "\(place(path)) il valore non corrisponde al tipo previsto\(suffix(type))."
        case .malformed: "I dati non sono validi."
        }
    }

    private func place(_ path: String?) -> String { path.map { "In \($0)" } ?? "Al livello superiore" }

    func text(ofContentType contentType: String) -> String { "La risposta è di tipo \(contentType), non JSON." }

    func note(_ text: String) -> String { "Nota tecnica: \(text)" }

    func text(of suggestion: RecoverySuggestion) -> String {
        switch suggestion {
        case .checkConnection: "Verificare la connessione a Internet e riprovare."
        case .tryLater: "Riprovare più tardi."
        case .signIn: "Effettuare di nuovo l’accesso."
        case .checkStorage: "Verificare che lo spazio di archiviazione libero sia sufficiente e riprovare."
        case .checkFile: "Verificare che il file esista ancora e sia leggibile, poi riprovare."
        case .checkClockOrNetwork: "Verificare data e ora del dispositivo oppure usare un’altra rete."
        }
    }
}
