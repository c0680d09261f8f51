import Networking
import Testing

struct User: Codable, Sendable, Equatable { let id: Int; let name: String }
struct Item: Decodable { let id: Int; let title: String }

@Suite struct CallStyles {
    func syncContext(networking: Networking, url: URL) {
        networking.request(url: url) { (response: NetworkResponse<[User]>) in
            switch response.result {
            case .success(let users): print(users)
            case .failure(let error): print(error)
            }
        }
        networking.request(url: url, method: .post, bodyParameters: ["username": "john", "password": "12345"], retryCount: 1) {
            (response: NetworkResponse<User>) in print(response)
        }
        networking.request(url: url)
            .responseDecodable(of: User.self) { response in print(response) }
            .responseVoid { result in print("Finished:", result) }
        networking.request(RequestConfig(url: url)).cURLLog().responseDecodable(of: User.self, queue: .global(qos: .userInitiated)) { response in
            print(response)
        }
        networking.request(url: url).responseData { response in print(response.data?.count ?? 0) }
        networking.request(url: url).responseString { response in print(response.value ?? "") }
        networking.request(RequestConfig(url: url))
            .responseDecodable(of: Item.self, decoder: {
                let jsonDecoder = JSONDecoder()
                jsonDecoder.dateDecodingStrategy = .iso8601
                return jsonDecoder
            }()) { response in
                if let items = response.value { print(items) } else { print(response.error as Any) }
            }
    }
    func asyncContext(networking: Networking, url: URL) async {
        let config = RequestConfig(url: url, method: .get, queryParameters: ["q": "swift", "n": 1], bodyParameters: ["a": ["b": 1, "c": "x"]])
        let response: NetworkResponse<User> = await networking.request(config)
        if let user = response.value { print(user.name) } else { print("🚨 ", response.error ?? .unknown(nil)) }
        do {
            let user: User = try await networking.request(url: url)
            print(user)
        } catch {
            handle(error)
        }
        do { try await networking.request(url: url, method: .delete) } catch { handle(error) }
        let policy = CachePolicy(useCache: true, storeCache: true, expireTime: Date().addingTimeInterval(3600))
        let raw: NetworkResponse<Data> = await networking.request(url: url, cachePolicy: policy)
        let it: NetworkingResponse<Item> = await networking.request(config, decoder: .iso8601)
        print(raw, it)
        networking.request(config).cURLLog().responseDecodable(of: User.self) { print($0) }.responseVoid { print($0) }
        Task { let user: User = try await networking.request(url: url); print(user) }
        networking.request(url: url) { (response: NetworkResponse<[User]>) in print(response) }
    }
    func handle(_ error: NetworkError) {}
}
