"""The pages of the site that people write: the guides as articles, the curated page of each module, and the landing page. Scripts/docs gives
them to docc.

One source has two renderings. README.md and Docs/ are read on GitHub, so an article is made from a guide line by line: links between guides
become docc's links, links to other files of the repository lead to GitHub, images are copied, and comments go. No line is added or taken
away, so that docc's words name the guide's own lines. Docs/Reference has what docc alone needs: the order of the guides (Guides.md), the
pages beneath Specifications (Specifications.md), the landing page (Landing.md), and a page for each module with its types in groups.
"""
import json
import pathlib
import re
import shutil
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "Docs"
REFERENCE = DOCS / "Reference"
CURATED = re.compile(r"^- (?:``(.+)``|<doc:(.+)>)$", re.MULTILINE)
TYPES = {"swift." + kind for kind in ("struct", "class", "enum", "protocol", "typealias", "func", "var", "macro")}


class Refused(Exception):
    """The documentation cannot be made, or has faults."""


def prose(path):
    """The lines of a Markdown file outside of its code, with their numbers."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def headings(path):
    return [line.lstrip("#").strip() for _, line in prose(path) if re.match(r"#+ ", line)]


def anchor(heading):
    """What GitHub calls a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def fragment(heading):
    """What docc calls a heading: without punctuation, with a hyphen for each run of spaces and dashes."""
    words = re.sub(r"\]\([^)]*\)|\[", "", heading)
    words = "-".join(re.split(r"[\s\-\u2013\u2014]+", words.strip()))
    return "".join(it for it in words if it == "-" or it != "`" and not unicodedata.category(it).startswith("P"))


def repository():
    """Where the repository is: README.md says it to those who add the package."""
    found = re.search(r'\.package\(url: "(https://[^"]+?)(?:\.git)?"', (ROOT / "README.md").read_text())
    if not found:
        raise Refused("docs: README.md names no URL of the package")
    return found[1]


def guides():
    """The name of each article, and the file that it is made from."""
    files = sorted(path for path in DOCS.rglob("*.md") if REFERENCE not in path.parents and path != DOCS / "README.md")
    found = {"GettingStarted": ROOT / "README.md", "Guides": DOCS / "README.md"}
    for path in files:
        if path.stem in found:
            raise Refused(f"{path.relative_to(ROOT)}:1: error: the name {path.stem} is taken by {found[path.stem].relative_to(ROOT)}")
        found[path.stem] = path
    return found


class Articles:
    """Turns Markdown of the repository into docc's."""

    def __init__(self, catalog, place):
        """`place` makes the address of an article from its name: within the catalog, or from another one."""
        self.catalog, self.place = catalog, place
        self.names = {path: name for name, path in guides().items()}
        self.titles = {f"{name}.md": headings(path)[0] for name, path in guides().items() if name in path.name}
        self.base = repository()

    def target(self, source, link):
        """Where a link of a guide leads on the site."""
        path, _, wanted = link.partition("#")
        file = (source.parent / path).resolve() if path else source.resolve()
        if name := self.names.get(file):
            # docc knows the headings of its own catalog only.
            heading = next((it for it in headings(file) if wanted and self.catalog.stem == "Guides" and anchor(it) == wanted), None)
            return f"doc:{self.place(name)}" + (f"#{fragment(heading)}" if heading else "")
        if not file.is_relative_to(ROOT):
            return link
        return f"{self.base}/{'tree' if file.is_dir() else 'blob'}/main/{file.relative_to(ROOT)}" + (f"#{wanted}" if wanted else "")

    def image(self, source, link):
        file = (source.parent / link).resolve()
        shutil.copy(file, self.catalog)
        return file.name

    def line(self, source, line):
        def changed(match):
            if match[1]:
                return f"![{match[2]}]({self.image(source, match[3])})"
            # A file's name is a good text for a link to a file, and not for one to an article.
            text = self.titles.get(match[2].rpartition("/")[2], match[2])
            return f"[{text}]({self.target(source, match[3])})"

        link = r"(!?)\[((?:[^\[\]`]|`[^`]*`)*)\]\((?!https?:|mailto:|doc:)([^()\s]+)\)"
        # What stands in quotes of code is not a link, except for the text of one.
        return re.sub(rf"(`+)(?:(?!\1).)+?\1(?!`)|{link}", lambda it: it[0] if it[1] else changed([it[0], it[2], it[3], it[4]]), line)

    def lines(self, source):
        """The lines of an article: as many as the guide has."""
        result, fence = [], None
        for line in source.read_text().splitlines():
            if mark := re.match(r"\s*(```|~~~)\s*(\w*)", line):
                if fence is None:
                    fence = mark[2]
                    result.append(line[:mark.end()])
                else:
                    result.append(line)
                    fence = None
            elif fence is not None:
                result.append(line)
            elif re.fullmatch(r"\s*<!--.*-->\s*", line):
                result.append("")
            else:
                # docc draws no code in headings.
                result.append(self.line(source, line.replace("`", "") if re.match(r"##+ ", line) else line))
        return result

    def section(self, source, wanted):
        """The part of a guide beneath a heading, without it."""
        lines = self.lines(source)
        start = next((number for number, line in enumerate(lines) if line.startswith("## ") and anchor(line[3:]) == wanted), None)
        if start is None:
            raise Refused(f"{source.relative_to(ROOT)}: error: Docs/Reference/Landing.md shows its heading #{wanted}, which is not there")
        end = next((number for number, line in enumerate(lines) if number > start and line.startswith("## ")), len(lines))
        return lines[start + 1:end]


def topics(page):
    """The text of a page from its topics on."""
    text = page.read_text()
    if "\n## Topics\n" not in text:
        raise Refused(f"{page.relative_to(ROOT)}:1: error: it has no section Topics")
    return text[text.index("\n## Topics\n"):]


def check_groups(page, names, known=(), what="type"):
    """Each name stands in one group of the page. `known` may stand there too: what other systems have."""
    text = page.read_text()
    shown = str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name
    places = {}
    for match in CURATED.finditer(text):
        places.setdefault((match[1] or match[2]).rpartition("/")[2], []).append(text.count("\n", 0, match.start()) + 1)
    faults = [f"{shown}:1: error: the {what} {name} stands in no group of the page's topics" for name in sorted(set(names) - set(places))]
    faults += [f"{shown}:{lines[1]}: error: {name} stands in two groups" for name, lines in places.items() if len(lines) > 1]
    faults += [f"{shown}:{lines[0]}: error: there is no public {what} {name}" for name, lines in places.items()
               if name not in names and name not in known]
    return faults


def public_names(module):
    """The top-level names of a module on any system, by the lists of its API."""
    found = set()
    for path in (ROOT / "API" / f"{module}.txt", ROOT / "API" / "Apple" / f"{module}.txt"):
        for line in path.read_text().splitlines() if path.exists() else []:
            name, _, declaration = line.removeprefix("+ ").removeprefix("- ").partition(" | ")
            if not line.startswith("#") and re.fullmatch(r"\w+(\(.*\))?", name) and not declaration.startswith("conforms"):
                found.add(name)
    return found


def module_names(module, graphs):
    """The top-level names in the graph of a module."""
    graph = json.loads((graphs / module / f"{module}.symbols.json").read_text())
    return {symbol["names"]["title"] for symbol in graph["symbols"]
            if len(symbol["pathComponents"]) == 1 and symbol["kind"]["identifier"] in TYPES}


def check_topics(modules, graphs):
    """Each public type has a place on its module's page, and each guide in the order of guides."""
    faults = []
    for module in modules:
        page = REFERENCE / f"{module}.md"
        if not page.exists():
            raise Refused(f"docs: there is no Docs/Reference/{module}.md, the page of the module")
        faults += check_groups(page, module_names(module, graphs), public_names(module))
    below = {match[2] for match in CURATED.finditer((REFERENCE / "Specifications.md").read_text())}
    faults += check_groups(REFERENCE / "Specifications.md", below & set(guides()), what="guide")
    faults += check_groups(REFERENCE / "Guides.md", set(guides()) - {"Guides"} - below, what="guide")
    if faults:
        raise Refused("\n".join(faults))


def elsewhere(modules):
    """The address of a module or an article from another archive."""
    def place(name):
        if name in modules:
            return f"/{name}"
        return "/Guides" if name == "Guides" else f"/Guides/{name}"
    return place


def within(name):
    """The address of an article from another one. By its name alone, docc would find the first page without its headings."""
    return "/documentation/Guides" if name == "Guides" else name


def write_module(catalog, module, before, names):
    """The catalog of a module: its page, without the names that this system does not have."""
    catalog.mkdir()
    write_header(catalog)
    articles = Articles(catalog, elsewhere(before))
    source = REFERENCE / f"{module}.md"
    lines = []
    for line in articles.lines(source):
        curated = CURATED.fullmatch(line)
        if curated and curated[1].rpartition("/")[2] not in names:
            continue
        # The page of another module.
        lines.append(line if curated else re.sub(r"``(\w+)``", lambda it: f"``/{it[1]}``" if it[1] in before else it[0], line))
    text = "\n".join(lines) + "\n"
    # A group of which nothing is left.
    text = re.sub(r"\n### [^\n]+\n+(?=\n### |\Z)", "\n", text)
    (catalog / source.name).write_text(text)


def write_header(catalog):
    """A bar above each page, which leads back: docc has each archive by itself."""
    links = {"/documentation": "Networking", "/documentation/guides": "Guides", repository(): "GitHub"}
    items = "".join(f'<a href="{address}">{name}</a>' for address, name in links.items())
    (catalog / "header.html").write_text(
        "<style>#site { display: flex; gap: 24px; padding: 10px 20px; font: 15px system-ui, sans-serif; background: #1d1d1f; }\n"
        f"#site a {{ color: #f5f5f7; text-decoration: none; }}</style>\n<nav id=\"site\">{items}</nav>\n")


def write_guides(catalog):
    catalog.mkdir()
    write_header(catalog)
    articles = Articles(catalog, within)
    for name, path in guides().items():
        lines = articles.lines(path)
        if name == "GettingStarted":
            lines[0] = "# Getting started"
        if name == "Guides":
            lines += ["", "@Metadata {", "    @TechnologyRoot", "}", topics(REFERENCE / "Guides.md")]
        if name == "Specifications":
            lines.append(topics(REFERENCE / "Specifications.md"))
        (catalog / f"{name}.md").write_text("\n".join(lines) + "\n")


def write_landing(catalog, modules):
    """The first page, in a catalog of its own: `docc merge` takes no page of ours, so `put_landing` puts it in the place of docc's."""
    catalog.mkdir()
    place = elsewhere(modules)
    articles = Articles(catalog, place)
    readme = ROOT / "README.md"
    source = REFERENCE / "Landing.md"
    title, *lines = articles.lines(source)
    introduction = next(line for line in articles.lines(readme)[1:] if line)
    body = []
    for line, written in zip(lines, source.read_text().splitlines()[1:]):
        # A link by itself to a part of README.md is that part.
        shown = re.fullmatch(r"\[[^\]]*\]\(\.\./\.\./README\.md#([\w-]+)\)", written)
        body += articles.section(readme, shown[1]) if shown else [re.sub(r"<doc:(\w+)>", lambda it: f"<doc:{place(it[1])}>", line)]
    text = [title, "", introduction, "", "@Metadata {", "    @TechnologyRoot", "}", "", "## Overview", *body]
    (catalog / "Landing.md").write_text("\n".join(text) + "\n")


def put_landing(archive, site):
    """Makes the landing page of `archive` the first page of the merged site. `docc merge` writes a list of the archives there."""
    page = json.loads((archive / "data/documentation/landing.json").read_text())
    merged_path = site / "data/documentation.json"
    merged = json.loads(merged_path.read_text())
    page["identifier"], page["hierarchy"] = merged["identifier"], {"paths": []}
    page["metadata"] |= {"roleHeading": "Swift package"}
    page.pop("variants", None)
    merged_path.write_text(json.dumps(page))
    for folder in ("images", "downloads"):
        if (archive / folder).exists():
            shutil.copytree(archive / folder, site / folder, dirs_exist_ok=True)
    (site / "index.html").write_text(
        '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Networking</title>\n'
        '<meta http-equiv="refresh" content="0; url=documentation/">\n<p><a href="documentation/">Documentation</a></p>\n</html>\n')
