"""Checks a HAR file against the JSON schemas of har-schema (HAR 1.2): validate_har.py SCHEMA_FOLDER FILE"""
import json
import pathlib
import sys

from jsonschema import Draft6Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT6

folder, file = map(pathlib.Path, sys.argv[1:])
schemas = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
registry = Registry().with_resources(
    (schema["$id"].rstrip("#"), Resource.from_contents(schema, default_specification=DRAFT6)) for schema in schemas
)
root = next(schema for schema in schemas if schema["$id"].startswith("har.json"))
validator = Draft6Validator(root, registry=registry, format_checker=Draft6Validator.FORMAT_CHECKER)
content = json.loads(file.read_text())
errors = sorted(validator.iter_errors(content), key=str)
for error in errors[:20]:
    print(f"{'/'.join(map(str, error.absolute_path))}: {error.message}")
if not errors:
    print(f"valid: {len(content['log']['entries'])} entries")
