/// French.
struct FrenchErrorTexts: ErrorTexts {
    func description(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "L’URL n’est pas valide."
        case .invalidRequest: "La requête n’a pas pu être créée."
        case .requestFailed(let status, _): "Le serveur a répondu avec le code \(status)."
        case .decodingError: "La réponse n’a pas pu être décodée."
        case .noData: "Le serveur n’a envoyé aucune donnée."
        case .downloadFailed: "Le téléchargement a échoué."
        case .uploadFailed: "L’envoi a échoué."
        case .noInternetConnection: "Aucune connexion à Internet."
        case .timeout: "Le délai d’attente de la requête a expiré."
        case .networkUnavailable: "Le réseau n’est pas disponible."
        case .unknown: "Une erreur réseau inconnue s’est produite."
        case .cancelled: "La requête a été annulée."
        case .encodingError: "La requête n’a pas pu être encodée."
        case .circuitOpen(let host, _): "Le serveur \(host) n’est temporairement pas utilisé."
        case .pinningFailed(let host): "L’identité du serveur \(host) n’a pas pu être vérifiée."
        case .bodyNotReplayable: "La requête ne peut pas être renvoyée."
        case .responseTooLarge: "La réponse est trop volumineuse."
        case .tooManyRedirects: "Il y a eu trop de redirections."
        case .unsupported: "L’opération n’est pas prise en charge."
        }
    }

    func reason(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "L’adresse est mal formée, ou son schéma n’est ni http ni https."
        case .invalidRequest: "Un élément de la requête est absent ou n’est pas autorisé."
        case .requestFailed(400..<500, _): "Le serveur n’a pas accepté la requête."
        case .requestFailed: "Le serveur n’a pas pu traiter la requête."
        case .decodingError: "La réponse contenait des données inattendues."
        case .noData: "La requête a abouti, mais la réponse est vide."
        case .downloadFailed: "Le fichier n’a pas pu être reçu ou enregistré en entier."
        case .uploadFailed: "Les données n’ont pas pu être lues ou envoyées en entier."
        case .noInternetConnection: "L’appareil semble être hors ligne."
        case .timeout: "Le serveur n’a pas répondu à temps."
        case .networkUnavailable: "La connexion au serveur n’a pas pu être établie ou a été perdue."
        case .unknown: "La raison n’est pas connue."
        case .cancelled: "L’opération a été arrêtée avant la fin."
        case .encodingError: "Les valeurs fournies ne peuvent pas être converties au format de la requête."
        case .circuitOpen: "Plusieurs requêtes consécutives ont échoué. Une nouvelle tentative aura lieu plus tard."
        case .pinningFailed: "Les certificats du serveur ne correspondent pas à ceux qui sont attendus."
        case .bodyNotReplayable: "Les données à envoyer proviennent d’un flux qui ne peut être lu qu’une seule fois."
        case .responseTooLarge(let limit): "La réponse dépasse la limite de \(limit) octets."
        case .tooManyRedirects: "Le serveur a effectué plus de redirections que permis."
        case .unsupported(let advice): "Cette fonction n’est pas disponible ici. \(note(advice))"
        }
    }

    func reason(of problem: TransportProblem) -> String {
        switch problem {
        case .nameNotResolved: "L’adresse du serveur est introuvable."
        case .connectionRefused: "Le serveur a refusé la connexion."
        case .hostUnreachable: "Aucune route réseau ne mène au serveur."
        case .connectionReset: "Le serveur a réinitialisé la connexion."
        case .connectionLost: "La connexion au serveur a été perdue."
        case .connectTimeout: "La connexion n’a pas été établie à temps."
        case .idleTimeout: "Aucune donnée n’a été envoyée ou reçue pendant trop longtemps."
        case .totalTimeout: "La requête a duré au total plus longtemps que permis."
        case .httpToTLS: "L’adresse commence par http, mais le serveur attend https."
        case .tlsToHTTP: "L’adresse commence par https, mais le serveur utilise http."
        case .secureConnectionFailed: "Une connexion sécurisée avec le serveur n’a pas pu être établie."
        case .certificateUntrusted: "Le certificat du serveur n’est pas fiable."
        case .clientCertificateRejected: "Le certificat de cet appareil n’a pas été accepté."
        case .proxyFailed: "Le serveur proxy est injoignable ou a refusé la connexion."
        case .malformedReply: "Le serveur a envoyé une réponse incompréhensible."
        case .oversizedHead: "Le serveur a envoyé plus de données d’en-tête que permis."
        case .truncatedBody: "La réponse du serveur est incomplète."
        case .undecodableContent: "Le contenu de la réponse n’a pas pu être décompressé."
        case .unreadableRequestBody: "Les données à envoyer n’ont pas pu être lues en entier."
        case .addressNotAllowed: "L’adresse du serveur n’est pas autorisée."
        case .unservedRequest: "Le serveur n’a pas exécuté la requête."
        case .other: "La connexion a échoué pour une raison inattendue."
        }
    }

    func reason(of reason: NetworkUnavailableReason) -> String {
        switch reason {
        case .cellular: "Seul un réseau cellulaire est disponible, et son utilisation n’est pas autorisée."
        case .expensive:
            "Seul un réseau qui peut entraîner des frais est disponible, et son utilisation n’est pas autorisée."
        case .constrained: "Le réseau est en mode données réduites."
        case .localNetworkProhibited: "L’app n’est pas autorisée à utiliser le réseau local."
        }
    }

    func failure(in phase: TransportError.Phase?, host: String) -> String {
        switch phase {
        case nil: "La requête au serveur \(host) a échoué."
        case .preparing: "La requête au serveur \(host) n’a pas pu être démarrée."
        case .resolving: "L’adresse du serveur \(host) n’a pas pu être déterminée."
        case .connecting: "Une connexion au serveur \(host) n’a pas pu être ouverte."
        case .securing: "Une connexion sécurisée au serveur \(host) n’a pas pu être négociée."
        case .sending: "La requête n’a pas pu être envoyée au serveur \(host)."
        case .waiting: "La requête a été envoyée au serveur \(host), mais aucune réponse n’est arrivée."
        case .receivingHead: "Le début de la réponse du serveur \(host) n’a pas pu être reçu."
        case .receivingBody: "La réponse du serveur \(host) n’a pas pu être reçue en entier."
        }
    }

    func text(of mismatch: DecodingMismatch) -> String {
        switch mismatch {
        case .unexpected(let path, let expected, let found?):
            "\(place(path)), \(expected) était attendu, mais \(found) a été trouvé."
        case .unexpected(let path, let expected, nil): "\(place(path)), \(expected) était attendu."
        case .missing(let key, let path): "\(place(path)), la clé \(key) est absente."
        case .unfit(let path, let type):
            "\(place(path)), la valeur ne correspond pas au type attendu\(suffix(type))."
        case .malformed: "Les données sont mal formées."
        }
    }

    private func place(_ path: String?) -> String { path.map { "À l’emplacement \($0)" } ?? "Au niveau supérieur" }

    func text(ofContentType contentType: String) -> String { "La réponse est de type \(contentType), pas JSON." }

    func note(_ text: String) -> String { "Note technique : \(text)" }

    func text(of suggestion: RecoverySuggestion) -> String {
        switch suggestion {
        case .checkConnection: "Vérifiez la connexion à Internet, puis réessayez."
        case .tryLater: "Réessayez plus tard."
        case .signIn: "Connectez-vous à nouveau."
        case .checkStorage: "Vérifiez que l’espace de stockage libre est suffisant, puis réessayez."
        case .checkFile: "Vérifiez que le fichier existe toujours et qu’il est lisible, puis réessayez."
        case .checkClockOrNetwork: "Vérifiez la date et l’heure de l’appareil, ou utilisez un autre réseau."
        }
    }
}
