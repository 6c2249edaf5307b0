#!/usr/bin/env bash
# Makes COUNT different photographs of 6 to 13 megapixels (JPEG, 4:2:0, quality 85 to 92, 1 to 5 MB and 3 on average) in OUT, for the benchmark.
#
#   Fixtures/make-photos.sh OUT COUNT
#
# Each is a part of one of the two committed landscapes, enlarged and recoloured, with detail at every scale on top: noise of
# equal strength in each octave, as in natural pictures, stronger in some regions than in others, and a little sensor noise.
# Three of eight are upright; two of those three lie on their side and say so in EXIF (orientation 6 or 8), as phones write them.
# Photo number n is always the same picture, whatever COUNT is. About 1 s of one core each, ENCLOSURE_JOBS of them at a time
# (by default as many as there are cores). What exists already is kept, so an interrupted run can be continued.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bases=("$here/media/image/landscape.jpg" "$here/media/image/landscape-noon.jpg") # 1600x1200 both
textures=3
side=4352 # of a texture; wide enough for the widest photo
sizes=("4000 3000" "3000 2000" "4032 3024" "4288 2848" "3264 2448" "4032 2268" "4240 2832" "4160 3120")

run() {
  ffmpeg -v error -nostdin -y -threads 1 -filter_threads 1 -filter_complex_threads 1 "$@"
}

# texture N FILE: a grey picture around 128 with equal energy in each octave; the four finest only where a slow mask lets them.
texture() {
  local octave size graph='' grey="scale=$side:$side:flags=bicubic,format=gray"
  for octave in 0 1 2 3 4 5 6 7; do
    size=$((side >> octave))
    graph+="color=c=gray:s=${size}x${size}:r=1:d=1,format=gray,lutyuv=y=128,noise=c0_seed=$((1000 * $1 + octave)):c0s=42:c0f=u,"
    graph+="gblur=sigma=0.6,${grey}[o$octave];"
    # The sum of pictures around 128: grainmerge is a + b - 128.
    case $octave in
      0) graph+="[o0]null[sum0];" ;;
      4) graph+="[o4]null[sum4];" ;;
      *) graph+="[sum$((octave - 1))][o$octave]blend=all_mode=grainmerge[sum$octave];" ;;
    esac
  done
  graph+="color=c=gray:s=34x34:r=1:d=1,format=gray,lutyuv=y=128,noise=c0_seed=$((1000 * $1 + 99)):c0s=100:c0f=u,gblur=sigma=1.2,$grey,"
  graph+="lutyuv=y='clip((val-118)*9,70,255)'[mask];color=c=gray:s=${side}x${side}:r=1:d=1,format=gray,lutyuv=y=128[flat];"
  graph+="[flat][sum3][mask]maskedmerge[fine];[fine][sum7]blend=all_mode=grainmerge"
  run -filter_complex "$graph" -frames:v 1 -f image2 -c:v pgm "$2"
}

# photo N: one photograph. Every choice follows from N.
photo() {
  local n=$1 name state width height orientation=1 turn=null
  name=$(printf '%s/photo-%04d.jpg' "$out" "$n")
  [ ! -s "$name" ] || return 0
  state=$((n * 2654435761 % 2147483647 + 12345))
  # pick LIMIT: a number below LIMIT, in `picked`.
  pick() {
    state=$((state * 48271 % 2147483647))
    picked=$((state / 7 % $1))
  }
  local picked
  for _ in 1 2 3; do pick 2; done
  pick ${#sizes[@]}
  read -r width height <<<"${sizes[picked]}"
  pick 8
  case $picked in
    0) orientation=6 turn=transpose=cclock ;;
    1) orientation=8 turn=transpose=clock ;;
    2) orientation=1 turn=upright ;;
  esac
  if [ "$turn" != null ]; then
    local swap=$width
    width=$height height=$swap
    [ "$turn" != upright ] || turn=null
  fi

  # The part of the base: as wide or as high as it can be, times 55 to 100 %.
  local zoom crop_width crop_height x y
  pick 46
  zoom=$((55 + picked))
  if [ $((width * 1200)) -ge $((height * 1600)) ]; then
    crop_width=$((1600 * zoom / 100)) crop_height=$((1600 * zoom * height / (100 * width)))
  else
    crop_height=$((1200 * zoom / 100)) crop_width=$((1200 * zoom * width / (100 * height)))
  fi
  pick $((1601 - crop_width)); x=$picked
  pick $((1201 - crop_height)); y=$picked
  local base flip=null hue saturation gamma texture tx ty strength quality grain
  pick 2; base=${bases[picked]}
  pick 2; [ "$picked" = 0 ] || flip=hflip
  pick 25; hue=$((picked - 12))
  pick 50; saturation=$((75 + picked))
  pick 40; gamma=$((80 + picked))
  pick "$textures"; texture=$picked
  pick $((side - width + 1)); tx=$picked
  pick $((side - height + 1)); ty=$picked
  pick 30; strength=$((55 + picked))
  pick 8; quality=$((85 + picked))
  pick 5; grain=$((8 + picked))

  local graph
  graph="[0:v]crop=$crop_width:$crop_height:$x:$y,$flip,hue=h=$hue,eq=saturation=$((saturation / 100)).$(printf %02d $((saturation % 100))):"
  graph+="gamma=$((gamma / 100)).$(printf %02d $((gamma % 100))),scale=$width:$height:flags=bicubic,format=yuv420p[p];"
  graph+="[1:v]crop=$width:$height:$tx:$ty,format=yuv420p[t];"
  graph+="[p][t]blend=c0_mode=overlay:c0_opacity=0.$strength," # luminance only
  graph+="noise=c0_seed=$n:c0s=$grain:c0f=t:c1_seed=$((n + 1)):c1s=4:c2_seed=$((n + 2)):c2s=4,$turn,format=rgb24"
  run -i "$base" -i "$work/texture-$texture.pgm" -filter_complex "$graph" -frames:v 1 -f image2pipe -c:v ppm - |
    cjpeg -quality "$quality" -sample 2x2 -dct int -outfile "$work/photo-$n.jpg"
  # EXIF in place of the JFIF segment (20 bytes with the start marker), as cameras have it.
  { printf '\377\330' && cat "$work/exif-$orientation" && tail -c +21 "$work/photo-$n.jpg"; } >"$work/photo-$n.done"
  rm "$work/photo-$n.jpg"
  mv "$work/photo-$n.done" "$name"
}

main() {
  # What xargs below calls, with `out` and `work` in the environment.
  case ${1:-} in
    --texture) texture "$2" "$work/texture-$2.pgm"; return ;;
    --photo) photo "$2"; return ;;
  esac
  if [ $# != 2 ] || ! [[ $2 =~ ^[1-9][0-9]{0,5}$ ]]; then
    echo "usage: make-photos.sh OUT COUNT" >&2
    exit 64
  fi
  local tool n jobs
  for tool in ffmpeg cjpeg python3; do
    command -v "$tool" >/dev/null || { echo "make-photos.sh: $tool is missing (Debian: ffmpeg libjpeg-turbo-progs python3)" >&2; exit 69; }
  done
  jobs=${ENCLOSURE_JOBS:-$(nproc)}
  mkdir -p "$1"
  out=$(cd "$1" && pwd)
  work=$(mktemp -d "$out/.work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  export out work
  for n in 1 6 8; do
    python3 "$here/make.py" exif "$n" "$work/exif-$n"
  done
  seq 0 $((textures - 1)) | xargs -P "$jobs" -I{} "$here/make-photos.sh" --texture {}
  seq 1 "$2" | xargs -P "$jobs" -I{} "$here/make-photos.sh" --photo {}
}

main "$@"
