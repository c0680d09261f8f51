"""An authorization server for the tests of NetSecurity's OAuth: Authlib's flows, all in memory, on a loopback port that the system chooses.

Prints one line, its port, and serves until it is killed. Users need no password: whoever opens /authorize is ada, unless the query says
otherwise (`login_hint=bob`, `deny=1`). What only a test would ask for is under /test.
"""
import json
import os
import sys
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc6749.models import AuthorizationCodeMixin, ClientMixin, TokenMixin
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from authlib.oauth2.rfc9207 import IssuerParameter
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, jsonify, redirect, request
from werkzeug.serving import make_server

app = Flask(__name__)
app.config.update(OAUTH2_REFRESH_TOKEN_GENERATOR=True, OAUTH2_TOKEN_EXPIRES_IN={
    "authorization_code": 3600, "refresh_token": 3600, "client_credentials": 600,
    "urn:ietf:params:oauth:grant-type:device_code": 3600})
codes, tokens, devices, approvals, seen_requests = {}, [], {}, {}, []
issuer = None

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


class User(str):
    def get_user_id(self):
        return str(self)


class Client(ClientMixin):
    def __init__(self, name, secret=None, auth="none"):
        self.name, self.secret, self.auth = name, secret, auth
        self.id_token_signed_response_alg = None

    def get_client_id(self):
        return self.name

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        allowed = {"openid", "profile", "email"}
        return " ".join(s for s in (scope or "").split() if s in allowed)

    def check_redirect_uri(self, uri):
        # RFC 8252, section 7.3: any port.
        return uri.startswith("http://127.0.0.1:") and uri.endswith("/callback")

    def check_client_secret(self, secret):
        return self.secret == secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.auth

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type != "client_credentials" or self.secret is not None


clients = {c.name: c for c in [
    Client("app"), Client("basic client", "se:cret +/%", "client_secret_basic"), Client("post", "s3cret", "client_secret_post")]}


class Token(TokenMixin):
    def __init__(self, data, client, user, family):
        self.data, self.client, self.user, self.family = data, client, user, family
        self.issued, self.access_revoked, self.refresh_revoked = time.time(), False, False

    def check_client(self, client):
        return self.client == client

    def get_scope(self):
        return self.data.get("scope", "")

    def get_expires_in(self):
        return self.data["expires_in"]

    def is_expired(self):
        return time.time() > self.issued + self.data["expires_in"]

    def is_revoked(self):
        return self.access_revoked

    def get_user(self):
        return self.user

    def get_client(self):
        return self.client


class Code(AuthorizationCodeMixin):
    def __init__(self, **values):
        self.__dict__.update(values)

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return int(time.time())

    def get_acr(self):
        return None

    def get_amr(self):
        return None


def save_token(token, request):
    family = getattr(request.refresh_token, "family", None) or object()
    tokens.append(Token(token, request.client, request.user, family))


server = AuthorizationServer(app, query_client=clients.get, save_token=save_token)


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def save_authorization_code(self, code, request):
        data = request.payload.data
        codes[code] = Code(
            client=request.client, redirect_uri=request.payload.redirect_uri, scope=request.payload.scope, user=request.user,
            nonce=data.get("nonce"), code_challenge=data.get("code_challenge"),
            code_challenge_method=data.get("code_challenge_method"))

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and found.client == client else None

    def delete_authorization_code(self, code):
        for key in [k for k, v in codes.items() if v is code]:
            del codes[key]

    def authenticate_user(self, code):
        return code.user


class RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        for token in tokens:
            if token.data.get("refresh_token") == refresh_token:
                if not token.refresh_revoked:
                    return token
                # Used twice: somebody has stolen it (RFC 9700, section 4.14.2). All that came of it ends.
                for other in tokens:
                    if other.family is token.family:
                        other.access_revoked = other.refresh_revoked = True
        return None

    def authenticate_user(self, token):
        return token.user

    def revoke_old_credential(self, token):
        token.access_revoked = token.refresh_revoked = True


class IDTokens(OpenIDCode):
    def exists_nonce(self, nonce, request):
        return False

    def get_jwt_config(self, grant):
        return {"key": "secret", "alg": "HS256", "iss": issuer, "exp": 3600}

    def generate_user_info(self, user, scope):
        return UserInfo(sub=str(user))


class Devices(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = ["none", "client_secret_basic"]
    INTERVAL = 2
    EXPIRES_IN = 600

    def get_verification_uri(self):
        return issuer + "/device"

    def save_device_credential(self, client_id, scope, data):
        if test_options.get("device_expired"):
            data = dict(data, expires_in=-1)
        devices[data["device_code"]] = DeviceCredentialDict(
            client_id=client_id, scope=scope, expires_at=time.time() + data["expires_in"], **data)


class DeviceGrant(DeviceCodeGrant):
    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        return approvals.get(user_code)

    def should_slow_down(self, credential):
        left = test_options.get("slow_downs", 0)
        test_options["slow_downs"] = left - 1
        return left > 0


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none", "client_secret_basic"]

    def query_token(self, token_string, token_type_hint):
        for token in tokens:
            if token_string in (token.data.get("access_token"), token.data.get("refresh_token")):
                return token

    def revoke_token(self, token, request):
        token.access_revoked = token.refresh_revoked = True


class Issuer(IssuerParameter):
    def get_issuer(self):
        return issuer


class Bearer(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return next((t for t in tokens if t.data["access_token"] == token_string), None)


server.register_grant(CodeGrant, [CodeChallenge(required=True), IDTokens(require_nonce=True)])
server.register_grant(RefreshGrant)
server.register_grant(grants.ClientCredentialsGrant)
server.register_grant(DeviceGrant)
server.register_endpoint(Devices)
server.register_endpoint(Revocation)
server.register_extension(Issuer())
require_oauth = ResourceProtector()
require_oauth.register_token_validator(Bearer())
test_options = {}


@app.before_request
def note():
    seen_requests.append({
        "path": request.path, "form": request.form.to_dict(), "authorization": request.headers.get("Authorization")})


@app.get("/authorize")
def authorize():
    user = None if request.args.get("deny") else User(request.args.get("login_hint", "ada"))
    return server.create_authorization_response(grant_user=user)


@app.post("/token")
def token():
    status = test_options.pop("token_status", None)
    if status:
        return "in trouble", status
    return server.create_token_response()


@app.post("/device_authorization")
def device_authorization():
    return server.create_endpoint_response(Devices.ENDPOINT_NAME)


@app.post("/revoke")
def revoke():
    return server.create_endpoint_response(Revocation.ENDPOINT_NAME)


def metadata():
    return jsonify({
        "issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
        "device_authorization_endpoint": issuer + "/device_authorization", "revocation_endpoint": issuer + "/revoke",
        "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True})


@app.get("/.well-known/oauth-authorization-server")
def oauth_metadata():
    return ("none", 404) if test_options.get("oidc_only") else metadata()


@app.get("/.well-known/openid-configuration")
def openid_metadata():
    return metadata()


@app.get("/me")
@require_oauth()
def me():
    from authlib.integrations.flask_oauth2 import current_token
    return jsonify({"user": current_token.user})


@app.post("/test/options")
def set_options():
    test_options.update(request.get_json())
    return "", 204


@app.post("/test/approve")
def approve():
    body = request.get_json()
    approvals[body["user_code"]] = (User("ada"), body["approved"])
    return "", 204


@app.post("/test/expire")
def expire():
    """All access tokens are refused from now on; the refresh tokens still work."""
    for token in tokens:
        token.access_revoked = True
    return "", 204


@app.get("/test/requests")
def all_requests():
    return jsonify([r for r in seen_requests if not r["path"].startswith("/test")])


http = make_server("127.0.0.1", 0, app, threaded=False)
issuer = f"http://127.0.0.1:{http.server_port}"
print(http.server_port, flush=True)
sys.stderr = open(os.devnull, "w")
http.serve_forever()
