#!/usr/bin/env bash
# Packages the extension with the server inside: editors/vscode/dist/planproof-VERSION-TARGET.vsix. The target is this machine's,
# or one of VS Code's names (linux-x64, linux-arm64, darwin-x64, darwin-arm64, win32-x64). Needs npm and its registry.
set -euo pipefail
cd "$(dirname "$0")"
here="$PWD"
target="${1:-}"
if [ -z "$target" ]; then
  arch="$(go env GOHOSTARCH)"
  os="$(go env GOHOSTOS)"
  target="${os/windows/win32}-${arch/amd64/x64}"
fi
goos="${target%-*}" goarch="${target#*-}"
goos="${goos/win32/windows}" goarch="${goarch/x64/amd64}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp -R . "$work/vscode"
cp ../../LICENSE "$work/vscode/LICENSE"
program=planproof
[ "$goos" = windows ] && program=planproof.exe
(cd ../.. && CGO_ENABLED=0 GOOS="$goos" GOARCH="$goarch" go build -trimpath -tags urfave_cli_no_docs -ldflags '-s -w' -o "$work/vscode/bin/$program" ./cmd/planproof)
version="$(cat ../../rltrain/python/src/planproof/VERSION)"
cd "$work/vscode"
node -e 'const p = require("./package.json"); p.version = process.argv[1]; require("fs").writeFileSync("package.json", JSON.stringify(p, null, 2))' "$version"
rm -rf dist node_modules
npm install --no-package-lock --no-audit --no-fund --silent --legacy-peer-deps
vsce="$PWD/node_modules/.bin/vsce"
mkdir -p "$here/dist"
"$vsce" package --target "$target" --no-git-tag-version -o "$here/dist/planproof-$version-$target.vsix"
