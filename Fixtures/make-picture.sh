#!/usr/bin/env bash
# Makes the README's picture, Fixtures/result.jpg, from what `make run` left in build/out: each tile is a prepared
# attachment, with what it was made from and what it became below it.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v montage >/dev/null || { echo "montage is missing; Debian's imagemagick brings it" >&2; exit 1; }
[ -f build/out/index.jsonl ] || { echo "build/out is missing; make run makes it" >&2; exit 1; }
font=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
[ -f "$font" ] || { echo "$font is missing; Debian's fonts-dejavu-core brings it" >&2; exit 1; }

tiles=()
for id in image/landscape-noon.jpg image/photo.heic image/webp-named.png image/orientation-6.jpg \
  image/irot-90.heic image/cmyk-adobe.jpg image/rgba.png animation/sequence.avif; do
  tile=$(python3 - "$id" <<'PY'
import json, sys, urllib.parse
manifest = json.load(open("build/out/manifests/%s.json" % urllib.parse.quote(sys.argv[1], safe="")))
attachment = manifest["attachments"][0]
print("build/out/%s\t%s → %s, %dx%d" % (
    attachment["location"], sys.argv[1].split("/")[1], attachment["typeHint"], attachment["width"], attachment["height"]))
PY
  )
  tiles+=(-label "${tile#*$'\t'}" "${tile%%$'\t'*}[0]")
done
montage "${tiles[@]}" -background '#dde' -fill '#222' -pointsize 11 -resize 260x180 -geometry 260x180+12+10 -tile 4x \
  -font "$font" -strip -quality 85 Fixtures/result.jpg
