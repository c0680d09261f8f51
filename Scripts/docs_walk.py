"""Walks through the site as a browser does, from a static host: every page that a link leads to has to be there.

DocC's pages are drawn by JavaScript. The page at /documentation/x is /documentation/x/index.html, which loads /data/documentation/x.json. So a
link in that JSON is good if both files are there, and if what stands behind its `#` is a heading of the page.
"""
import functools
import http.client
import http.server
import json
import pathlib
import re
import threading
import urllib.parse


class Host(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise each answer waits for the client's acknowledgement of its header.
    wbufsize = -1

    def log_message(self, *_):
        pass

    def list_directory(self, path):
        """A static host has no list for a folder without an index.html."""
        self.send_error(404)


class Walk:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.faults, self.answers, self.pages = [], {}, {}

    def get(self, path):
        """The body at a path, or None if the host answers anything but 200. Follows no redirect, but for the slash behind a folder."""
        if path not in self.answers:
            self.connection.request("GET", urllib.parse.quote(path))
            response = self.connection.getresponse()
            body = response.read()
            self.answers[path] = body if response.status == 200 else None
        return self.answers[path]

    def page(self, path, origin):
        """The JSON of a page; notes what is missing."""
        path = path.rstrip("/")
        if path not in self.pages:
            self.pages[path] = None
            body = self.get(f"/data{path}.json")
            if self.get(f"{path}/") is None:
                self.faults.append(f"{origin}: there is no page {path}")
            elif body is None:
                self.faults.append(f"{origin}: the page {path} has no data")
            else:
                self.pages[path] = json.loads(body)
        return self.pages[path]

    def start(self):
        """The landing page: where / and /index.html lead."""
        found = set()
        for path in ("/", "/index.html"):
            body = self.get(path)
            refresh = body and re.search(rb'http-equiv="refresh" content="0; url=([^"]+)"', body)
            if not refresh:
                self.faults.append(f"{path}: it leads to no page")
            else:
                found.add(urllib.parse.urljoin("/", refresh[1].decode()))
        # Links that stand in the HTML itself: the bar above the page.
        for path in list(found):
            found |= {address.decode() for address in re.findall(rb'<a href="(/[^"]*)"', self.get(path) or b"")}
        return sorted(found)


def strings(value, key):
    """The values of a key anywhere in JSON."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name == key and isinstance(item, str):
                yield item
            else:
                yield from strings(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item, key)


def check_page(walk, path, data):
    """Where the page leads: [(path, fragment)]. Pictures are looked at here."""
    links = []
    for identifier, reference in data.get("references", {}).items():
        kind = reference.get("type")
        addresses = [reference.get("url")] + [variant.get("url") for variant in reference.get("variants", [])]
        for address in filter(None, addresses):
            url = urllib.parse.urlsplit(address)
            if kind == "unresolvable":
                walk.faults.append(f"{path}: {identifier} is unresolved")
            elif url.scheme or url.netloc:
                continue
            elif url.path.startswith(("/documentation", "/tutorials")):
                links.append((url.path, urllib.parse.unquote(url.fragment)))
            elif url.path and walk.get(urllib.parse.urljoin(path + "/", url.path)) is None:
                walk.faults.append(f"{path}: there is no {address}")
    return links


def walk_site(folder):
    """The faults of a site, and how many pages it has."""
    handler = functools.partial(Host, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            walk = Walk(server.server_address[1])
            return walk_from(walk, walk.start(), folder)
        finally:
            walk.connection.close()
            server.shutdown()


def walk_from(walk, starts, folder):
    queue = [(path, "", "/") for path in starts]
    seen = set()
    anchors = {}
    while queue:
        path, fragment, origin = queue.pop()
        path = path.rstrip("/")
        data = walk.page(path, origin)
        if data is None:
            continue
        if path not in anchors:
            anchors[path] = set(strings(data, "anchor")) | {topic.get("anchor") for topic in data.get("topicSections", [])}
        if fragment and fragment not in anchors[path]:
            walk.faults.append(f"{origin}: {path} has no heading #{fragment}")
        if path not in seen:
            seen.add(path)
            queue += [(to, part, path) for to, part in check_page(walk, path, data)]
    # The sidebar.
    index = walk.get("/index/index.json")
    for path in strings(json.loads(index or b"{}"), "path"):
        if path.rstrip("/") not in seen:
            walk.page(path, "the sidebar")
            walk.faults.append(f"the sidebar: no page leads to {path}")
    for file in sorted(pathlib.Path(folder, "data").rglob("*.json")):
        path = "/" + str(file.relative_to(pathlib.Path(folder, "data")).with_suffix(""))
        # Deeper ones are members, and docc lists not all of them: an implementation of what a protocol of another module requires.
        if path not in seen and path.count("/") <= 3:
            walk.faults.append(f"{path}: no page leads there")
    return sorted(set(walk.faults)), len(seen)
