"""What the scripts share: how they run and are tested, and the modules of a package as `.swiftmodule` files.

`Package.emit` writes the modules and only them, without machine code, so all modules of a clean tree take seconds. It reads nothing in `.build`,
which may be of another state of the sources. `Build` is the debug build, brought up to date first. `IndexStore` reads the compiler's index.
"""
import concurrent.futures
import ctypes
import inspect
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAND_INS = ROOT / "Tests" / "AppleStubs"
# The flag for each kind of setting in a manifest. Another kind is refused, not dropped: it might change what is public.
SETTINGS = {
    "enableUpcomingFeature": "-enable-upcoming-feature", "enableExperimentalFeature": "-enable-experimental-feature", "define": "-D",
    "defaultIsolation": "-default-isolation", "swiftLanguageMode": "-swift-version",
}
EXPORT = re.compile(r"^\s*@_exported\s+(?:public\s+)?import\s+(?:\w+[ \t]+)?([\w.]+)", re.MULTILINE)


class Failed(Exception):
    """What a check found, or what a tool said when it could not do its work."""


def script(modes):
    """Runs a script: the function of `modes` for its option ("" without one), with the arguments that follow. It fails if the function returns
    something true or throws `Failed`."""
    name, arguments = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
    option = arguments.pop(0) if arguments and arguments[0].startswith("--") else ""
    try:
        inspect.signature(modes[option]).bind(*arguments)
    except (KeyError, TypeError):
        sys.exit(sys.modules["__main__"].__doc__)
    try:
        if modes[option](*arguments):
            sys.exit(1)
        if option == "--self-test":
            print(f"{name}: the self-test is red where it must be")
    except Failed as failure:
        sys.exit(f"{name}: {failure}")


def refuse(faults):
    """Fails if there are faults."""
    if faults:
        raise Failed("\n".join(faults).replace(f"{ROOT}/", ""))


def expect(report, expected, what):
    """For self-tests: fails unless a report matches the pattern `expected`, or is empty if that is None."""
    if bool(report) != (expected is not None) or not re.search(expected or "", report):
        raise Failed(f"{what}: the self-test wants the report {expected}, and it is: {report or 'empty'}")


def refusal(check, *arguments):
    """For self-tests: why a check fails; empty if it does not."""
    try:
        check(*arguments)
        return ""
    except Failed as failure:
        return str(failure)


def run(*command, merge=False, cwd=None):
    """What a command printed; with `merge`, what it printed as errors too."""
    words = [str(word) for word in command]
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT if merge else subprocess.PIPE, text=True, cwd=cwd)
    if result.returncode != 0:
        raise Failed(f"{' '.join(words[:6])} …\n{result.stdout}{result.stderr or ''}")
    return result.stdout


def prose(path):
    """The lines of a Markdown file outside of its code, with their numbers."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def manifest_of(package):
    return json.loads(run("swift", "package", "--package-path", package, "dump-package"))


def target_triple():
    return json.loads(run("swiftc", "-print-target-info"))["target"]["triple"]


def symbol_graphs(module, flags, folder, *options):
    """Writes the symbol graph of a module into a folder: what is public."""
    folder.mkdir(parents=True, exist_ok=True)
    run("swift-symbolgraph-extract", "-module-name", module, "-target", target_triple(), *flags, "-minimum-access-level", "public",
        "-output-dir", folder, *options)


class Build:
    """The debug build of a package, up to date: throws what SwiftPM said if it does not build."""

    def __init__(self, package):
        self.package = pathlib.Path(package)
        run("swift", "build", "--package-path", package, merge=True)
        self.products = pathlib.Path(run("swift", "build", "--package-path", package, "--show-bin-path").strip())
        self.modules = self.products / "Modules"

    def clang_flags(self):
        """What the tools need to read its C targets: the module maps that SwiftPM wrote, and those beside the headers of others."""
        maps = list(self.products.glob("*.build/module.modulemap"))
        for pattern in ("Stubs/*/include/module.modulemap", ".build/checkouts/*/Sources/*/include/module.modulemap"):
            maps += self.package.glob(pattern)
        return [word for map in maps for word in ("-Xcc", f"-fmodule-map-file={map}")]

    def import_flags(self):
        """What the tools need to read all its modules."""
        return ["-I", self.modules, *self.clang_flags()]

    def linked_modules(self, folder):
        """The file that lists the objects of all modules for the linker: what quickstart is linked of, without itself."""
        objects = (self.products / "quickstart.product" / "Objects.LinkFileList").read_text().splitlines()
        link = folder / "Objects.LinkFileList"
        link.write_text("\n".join(line for line in objects if "/quickstart.build/" not in line))
        return link


class Package:
    """A package by its manifest."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        manifest = manifest_of(self.root)
        self.language = (manifest.get("swiftLanguageVersions") or ["6"])[0]
        self.targets = {target["name"]: target for target in manifest["targets"]}
        in_order = sorted(self.targets, key=lambda name: (len(self.closure(name)), name))
        # What a client can import: the targets of library products, in an order in which they can be compiled.
        names = {name for product in manifest["products"] if "library" in product["type"] for name in product["targets"]}
        self.libraries = [name for name in in_order if name in names]
        # Those, and what they are built on: NetSystem is not a product.
        built = names.union(*map(self.closure, names))
        self.modules = [name for name in in_order if name in built and self.sources(name)]

    def folder(self, name):
        return self.root / (self.targets[name].get("path") or f"Sources/{name}")

    def sources(self, name):
        return sorted(self.folder(name).rglob("*.swift"))

    def exports(self, name):
        """The modules that a module hands on to those who import it."""
        return sorted({found for path in self.sources(name) for found in EXPORT.findall(path.read_text())})

    def closure(self, name):
        """The targets of this package that a target depends on, also by way of others."""
        direct = [next(iter(dependency.values()))[0] for dependency in self.targets[name]["dependencies"]]
        return list(dict.fromkeys(found for it in direct if it in self.targets for found in [it, *self.closure(it)]))

    def emit(self, output, checks_bodies=False):
        """Writes each module into the folder `output`; if asked to, type-checks the bodies of functions too."""
        output.mkdir(parents=True, exist_ok=True)
        for name in self.targets:
            header = (self.folder(name) / "include" / f"{name}.h").resolve()
            if header.exists() and not self.sources(name):
                # As SwiftPM does for a C target without a module map: its umbrella header is the one of its name.
                (output / f"{name}.modulemap").write_text(f'module {name} {{\n    umbrella header "{header}"\n    export *\n}}\n')

        def emit(name):
            run("swiftc", "-module-name", name, "-wmo", "-emit-module", "-parse-as-library", "-suppress-warnings",
                "-package-name", "networking", "-swift-version", self.language, *self.flags(name), *self.import_flags(name, output),
                *([] if checks_bodies else ["-Xfrontend", "-experimental-skip-non-inlinable-function-bodies-without-types"]),
                "-emit-module-path", output / f"{name}.swiftmodule", *self.sources(name))

        # Two at a time: each is one thread of the compiler. None of those with as many dependencies depends on another.
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for _, names in itertools.groupby(self.modules, key=lambda name: len(self.closure(name))):
                list(pool.map(emit, names))

    def import_flags(self, name, output):
        """What the tools of the compiler need to read the modules in `output`, for one that may import what `name` depends on."""
        maps = [output / f"{dependency}.modulemap" for dependency in self.closure(name)]
        flags = [word for map in maps if map.exists() for word in ("-Xcc", f"-fmodule-map-file={map}")]
        return ["-I", output, *flags, "-module-cache-path", output / "cache"]

    def flags(self, name):
        for setting in self.targets[name]["settings"]:
            [(kind, value)] = setting["kind"].items()
            if setting["tool"] != "swift" or kind not in SETTINGS:
                raise Failed(f"{name} has the setting {setting}, which Scripts/swift_modules.py does not know")
            yield from (SETTINGS[kind], value["_0"])


class IndexStore:
    """libIndexStore (indexstore/indexstore.h of the toolchain), as far as it is needed here."""

    # Roles of an occurrence.
    DEFINITION, REFERENCE, IMPLICIT = 1 << 1, 1 << 2, 1 << 8
    Handle = ctypes.c_void_p

    class Text(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

        def __str__(self):
            return ctypes.string_at(self.data, self.length).decode() if self.length else ""

    def __init__(self, path):
        swift = pathlib.Path(shutil.which("swift")).resolve()
        library = next(iter(sorted(swift.parent.parent.joinpath("lib").glob("libIndexStore.*"))), None)
        if not library:
            raise Failed(f"the toolchain of {swift} has no libIndexStore")
        self.library = ctypes.CDLL(str(library))
        self.store = self.call(self.Handle, "store_create", str(path).encode(), self.Handle())
        if not self.store:
            raise Failed(f"{library.name} cannot read {path}")

    def call(self, result, name, *arguments):
        function = getattr(self.library, "indexstore_" + name)
        function.restype = result
        # A handle comes back as an int, which ctypes would pass on as a C int.
        return function(*[self.Handle(value) if isinstance(value, int) else value for value in arguments])

    def text(self, name, handle):
        return str(self.call(self.Text, name, handle))

    def each(self, item, name, handle, visit, *options):
        """Calls `visit` for each item of one of the `…_apply_f` functions."""
        callback = ctypes.CFUNCTYPE(ctypes.c_bool, self.Handle, item)(lambda _, value: visit(value) or True)
        self.call(ctypes.c_bool, name, handle, *options, self.Handle(), callback)

    def each_occurrence(self, record, visit):
        """Calls `visit(occurrence, symbol, roles)` for what a record holds."""
        reader = self.call(self.Handle, "record_reader_create", self.store, record.encode(), self.Handle())
        if not reader:
            raise Failed(f"the index has no record {record}")
        self.each(self.Handle, "record_reader_occurrences_apply_f", reader, lambda occurrence: visit(
            occurrence, self.call(self.Handle, "occurrence_get_symbol", occurrence),
            self.call(ctypes.c_uint64, "occurrence_get_roles", occurrence)))
        self.call(None, "record_reader_dispose", reader)
