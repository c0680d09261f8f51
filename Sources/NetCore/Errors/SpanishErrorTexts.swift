/// Spanish, in words common to Spain and Latin America.
struct SpanishErrorTexts: ErrorTexts {
    func description(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "La URL no es válida."
        case .invalidRequest: "No se pudo crear la solicitud."
        case .requestFailed(let status, _): "El servidor respondió con el código \(status)."
        case .decodingError: "No se pudo interpretar la respuesta."
        case .noData: "El servidor no envió datos."
        case .downloadFailed: "Error en la descarga."
        case .uploadFailed: "Error al subir los datos."
        case .noInternetConnection: "No hay conexión a internet."
        case .timeout: "Se agotó el tiempo de espera de la solicitud."
        case .networkUnavailable: "La red no está disponible."
        case .unknown: "Se produjo un error de red desconocido."
        case .cancelled: "La solicitud se canceló."
        case .encodingError: "No se pudo codificar la solicitud."
        case .circuitOpen(let host, _): "El servidor \(host) no se está utilizando temporalmente."
        case .pinningFailed(let host): "No se pudo verificar la identidad del servidor \(host)."
        case .bodyNotReplayable: "La solicitud no se puede volver a enviar."
        case .responseTooLarge: "La respuesta es demasiado grande."
        case .tooManyRedirects: "Hubo demasiadas redirecciones."
        case .unsupported: "La operación no es compatible."
        }
    }

    func reason(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "La dirección tiene un formato incorrecto o su esquema no es http ni https."
        case .invalidRequest: "Falta una parte de la solicitud o no está permitida."
        case .requestFailed(400..<500, _): "El servidor no aceptó la solicitud."
        case .requestFailed: "El servidor no pudo procesar la solicitud."
        case .decodingError: "La respuesta contenía datos inesperados."
        case .noData: "La respuesta fue correcta, pero estaba vacía."
        case .downloadFailed: "El archivo no se pudo recibir o guardar por completo."
        case .uploadFailed: "Los datos no se pudieron leer o enviar por completo."
        case .noInternetConnection: "Parece que el dispositivo no está conectado."
        case .timeout: "El servidor no respondió a tiempo."
        case .networkUnavailable: "No se pudo establecer la conexión con el servidor o se perdió."
        case .unknown: "Se desconoce el motivo."
        case .cancelled: "La operación se detuvo antes de completarse."
        case .encodingError: "Los valores indicados no se pueden convertir al formato de la solicitud."
        case .circuitOpen: "Han fallado varias solicitudes seguidas. Se volverá a intentar más tarde."
        case .pinningFailed: "Los certificados del servidor no coinciden con los esperados."
        case .bodyNotReplayable: "Los datos por enviar proceden de un flujo que solo se puede leer una vez."
        case .responseTooLarge(let limit): "La respuesta supera el límite de \(limit) bytes."
        case .tooManyRedirects: "El servidor redirigió más veces de las permitidas."
        case .unsupported(let advice): "Esta función no está disponible aquí. \(note(advice))"
        }
    }

    func reason(of problem: TransportProblem) -> String {
        switch problem {
        case .nameNotResolved: "No se encontró la dirección del servidor."
        case .connectionRefused: "El servidor rechazó la conexión."
        case .hostUnreachable: "No hay ninguna ruta de red hasta el servidor."
        case .connectionReset: "El servidor restableció la conexión."
        case .connectionLost: "Se perdió la conexión con el servidor."
        case .connectTimeout: "La conexión no se estableció a tiempo."
        case .idleTimeout: "No se enviaron ni se recibieron datos durante demasiado tiempo."
        case .totalTimeout: "La solicitud tardó en total más de lo permitido."
        case .httpToTLS: "La dirección empieza por http, pero el servidor espera https."
        case .tlsToHTTP: "La dirección empieza por https, pero el servidor utiliza http."
        case .secureConnectionFailed: "No se pudo establecer una conexión segura con el servidor."
        case .certificateUntrusted: "El certificado del servidor no es de confianza."
        case .clientCertificateRejected: "El certificado de este dispositivo no fue aceptado."
        case .proxyFailed: "No se pudo acceder al servidor proxy o este rechazó la conexión."
        case .malformedReply: "El servidor envió una respuesta que no se puede entender."
        case .oversizedHead: "El servidor envió más datos de cabecera de los permitidos."
        case .truncatedBody: "La respuesta del servidor está incompleta."
        case .undecodableContent: "No se pudo descomprimir el contenido de la respuesta."
        case .unreadableRequestBody: "Los datos por enviar no se pudieron leer por completo."
        case .addressNotAllowed: "La dirección del servidor no está permitida."
        case .unservedRequest: "El servidor no ha llevado a cabo la solicitud."
        case .other: "La conexión falló por un motivo inesperado."
        }
    }

    func reason(of reason: NetworkUnavailableReason) -> String {
        switch reason {
        case .cellular: "Solo hay una red móvil disponible y su uso no está permitido."
        case .expensive: "Solo hay disponible una red que puede generar costes y su uso no está permitido."
        case .constrained: "La red está en modo de datos reducidos."
        case .localNetworkProhibited: "La app no tiene permiso para usar la red local."
        }
    }

    func failure(in phase: TransportError.Phase?, host: String) -> String {
        switch phase {
        case nil: "La solicitud al servidor \(host) falló."
        case .preparing: "No se pudo iniciar la solicitud al servidor \(host)."
        case .resolving: "No se pudo obtener la dirección del servidor \(host)."
        case .connecting: "No se pudo abrir una conexión con el servidor \(host)."
        case .securing: "No se pudo negociar una conexión segura con el servidor \(host)."
        case .sending: "No se pudo enviar la solicitud al servidor \(host)."
        case .waiting: "La solicitud se envió al servidor \(host), pero no llegó ninguna respuesta."
        case .receivingHead: "No se pudo recibir el comienzo de la respuesta del servidor \(host)."
        case .receivingBody: "No se pudo recibir por completo la respuesta del servidor \(host)."
        }
    }

    func text(of mismatch: DecodingMismatch) -> String {
        switch mismatch {
        case .unexpected(let path, let expected, let found?):
            "\(place(path)) se esperaba \(expected), pero se encontró \(found)."
        case .unexpected(let path, let expected, nil): "\(place(path)) se esperaba \(expected)."
        case .missing(let key, let path): "\(place(path)) falta la clave \(key)."
        case .unfit(let path, let type):
            "\(place(path)) el valor no corresponde al tipo esperado\(suffix(type))."
        case .malformed: "Los datos están mal formados."
        }
    }

    private func place(_ path: String?) -> String { path.map { "En \($0)" } ?? "En el nivel superior" }

    func text(ofContentType contentType: String) -> String { "La respuesta es \(contentType), no JSON." }

    func note(_ text: String) -> String { "Nota técnica: \(text)" }

    func text(of suggestion: RecoverySuggestion) -> String {
        switch suggestion {
        case .checkConnection: "Compruebe la conexión a internet e inténtelo de nuevo."
        case .tryLater: "Inténtelo de nuevo más tarde."
        case .signIn: "Inicie sesión de nuevo."
        case .checkStorage: "Compruebe que haya suficiente espacio libre e inténtelo de nuevo."
        case .checkFile: "Compruebe que el archivo siga existiendo y se pueda leer, e inténtelo de nuevo."
        case .checkClockOrNetwork: "Compruebe la fecha y la hora del dispositivo o utilice otra red."
        }
    }
}
