#!/usr/bin/env bash
# Makes every file of Fixtures/media/ and Fixtures/expected/ from nothing: drawn patterns, lavfi sources, hand-built bytes.
#
#   Fixtures/make.sh                 all of it (a few minutes; the landscapes are computed in Python)
#   Fixtures/make.sh PART...         only these parts: image animation video encode timeline audio bad
#   Fixtures/make.sh --large DIR     instead: the files too large to commit, into DIR
#   Fixtures/make.sh --check         instead: is every file in README.md, and every row a file?
#
# Developers run it rarely; what it makes is committed. The same package versions (Debian 12) give the same bytes again:
# encoders run with one thread and without version strings or dates, and there is no random source without a seed.
# ENCLOSURE_FIXTURES_OUT makes it write below another folder than Fixtures/ (to compare with what is committed).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${ENCLOSURE_FIXTURES_OUT:-$here}
media=$out/media
work=

# tool:package pairs.
needs=(python3:python3 ffmpeg:ffmpeg vips:libvips-tools cjpeg:libjpeg-turbo-progs heif-enc:libheif-examples avifenc:libavif-bin
  cwebp:webp cjxl:libjxl-tools opj_compress:libopenjp2-tools exiftool:libimage-exiftool-perl)

install_tools() {
  local pair missing=()
  for pair in "${needs[@]}"; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
  else
    echo "make.sh: missing packages (names as in Debian): ${missing[*]}" >&2
    exit 69
  fi
}

# ffmpeg, reproducible: quiet, one thread, no version strings or dates in the output.
encode() {
  ffmpeg -v error -nostdin -y -threads 1 -filter_threads 1 "$@"
}
exact=(-fflags +bitexact -flags +bitexact -map_metadata -1 -threads 1)

python() {
  python3 "$here/make.py" "$@"
}

# shellcheck source=makers/posters.sh
. "$here/makers/posters.sh"

# --- stills -----------------------------------------------------------------------------------------------------------
make_images() {
  local dir=$media/image
  mkdir -p "$dir"
  python image "$media" "$work"
  python scene "$work"

  # Photographs. The landscapes are the base of the benchmark's photos too (make-photos.sh).
  cjpeg -quality 84 -optimize -outfile "$dir/landscape.jpg" "$work/sunset.ppm"
  cjpeg -quality 82 -optimize -outfile "$dir/landscape-noon.jpg" "$work/noon.ppm"
  encode -i "$work/sunset.ppm" -vf scale=800:600:flags=area "$work/sunset-800.ppm"
  encode -i "$work/sunset.ppm" -vf scale=480:360:flags=area "$work/sunset-480.ppm"
  encode -i "$work/noon.ppm" -vf scale=200:150:flags=area "$work/noon-200.ppm"
  encode -i "$work/sunset-480.ppm" "$work/sunset-480.png"
  cjpeg -quality 80 -progressive -outfile "$dir/progressive.jpg" "$work/sunset-800.ppm"
  cjpeg -quality 80 -optimize -outfile "$work/sunset-480.jpg" "$work/sunset-480.ppm"
  cut_at 60 "$work/sunset-480.jpg" "$dir/truncated-60-percent.jpg"
  encode -i "$work/noon-200.ppm" "${exact[@]}" -pred mixed "$dir/photo.png"
  cut_at 50 "$dir/photo.png" "$dir/truncated.png"

  # A camera-sized picture that lies on its side: 4000x3000 stored, 3000x4000 shown.
  cjpeg -quality 60 -optimize -outfile "$work/large.jpg" "$work/card-large.ppm"
  exiftool -q -overwrite_original -n -Orientation=6 -o - "$work/large.jpg" >"$dir/large-orientation-6.jpg"

  # Formats that iOS does not attach.
  cwebp -quiet -q 75 "$work/sunset-480.png" -o "$dir/lossy.webp"
  cwebp -quiet -lossless -exact "$work/card-alpha.png" -o "$dir/lossless-alpha.webp"
  cp "$dir/lossy.webp" "$dir/webp-named.png"
  heif-enc -q 50 -o "$dir/photo.heic" "$work/sunset-480.png" >/dev/null
  avifenc -j 1 -s 6 --min 28 --max 34 "$work/sunset-480.png" "$dir/photo.avif" >/dev/null
  avifenc -j 1 -s 6 --min 28 --max 34 -d 10 -y 444 "$work/sunset-480.png" "$dir/photo-10bit.avif" >/dev/null
  cjxl "$work/card.ppm" "$dir/card.jxl" -d 1 --quiet --num_threads=0 2>/dev/null
  opj_compress -i "$work/card.ppm" -o "$dir/card.jp2" -r 20 >/dev/null
  encode -i "$work/card.ppm" -vf 'split[a][b];[a]palettegen=max_colors=16[p];[b][p]paletteuse=dither=none' "${exact[@]}" "$dir/one-frame.gif"

  # HEIC by hand: the coded pictures come from ffmpeg, the boxes around them from make.py.
  local name
  for name in card card-clockwise card-counterclockwise tile-0 tile-1 tile-2 tile-3; do
    encode -i "$work/$name.ppm" -frames:v 1 -vf scale=out_color_matrix=smpte170m:out_range=pc,format=yuv420p -color_range pc \
      -colorspace smpte170m -color_primaries bt709 -color_trc iec61966-2-1 -c:v libx265 -preset medium -crf 20 \
      -x265-params log-level=error:info=0:pools=none:frame-threads=1:keyint=1 -tag:v hvc1 "${exact[@]}" "$work/$name.mp4"
  done
  python heic "$media" "$work"
}

# cut_at PERCENT FILE OUT: the first PERCENT of FILE.
cut_at() {
  head -c $(($(stat -c %s "$2") * $1 / 100)) "$2" >"$3"
}

# --- animations -------------------------------------------------------------------------------------------------------
make_animations() {
  local dir=$media/animation
  mkdir -p "$dir" "$out/expected"
  python animation "$media" "$out/expected"

  # Animated WebP with alpha: the four composited frames of dispose-blend.png.
  img2webp -loop 2 -d 100 "$out/expected/dispose-blend-png-1.png" -d 200 "$out/expected/dispose-blend-png-2.png" \
    -d 300 "$out/expected/dispose-blend-png-3.png" -d 400 "$out/expected/dispose-blend-png-4.png" -o "$dir/alpha.webp" >/dev/null 2>&1

  # Image sequences: the frames of simple.gif.
  encode -i "$dir/simple.gif" -c:v libaom-av1 -cpu-used 6 -crf 40 -pix_fmt yuv420p "${exact[@]}" -f avif "$dir/sequence.avif"
  encode -i "$dir/simple.gif" -c:v libx265 -crf 30 -pix_fmt yuv420p -x265-params log-level=error:info=0:pools=none:frame-threads=1:bframes=0 \
    -tag:v hvc1 "${exact[@]}" "$work/sequence.mp4"
  python sequence "$work/sequence.mp4" "$dir/sequence.heics"
}

# --- videos -----------------------------------------------------------------------------------------------------------
x264=(-c:v libx264 -preset medium -pix_fmt yuv420p -x264-params threads=1:log-level=error)
aac=(-c:a aac -b:a 48k -ac 1 -ar 44100)

# clip SECONDS [SIZE [RATE]]: input arguments for a test picture and a tone; sets `source`.
clip() {
  source=(-f lavfi -i "testsrc2=size=${2:-320x180}:rate=${3:-25}:duration=$1" -f lavfi -i "sine=frequency=440:sample_rate=44100:duration=$1")
}

# still FRAMES RATE SECONDS: as clip, with a picture that is cheap to code, for clips whose length is the point.
# SECONDS is the length of the sound.
still() {
  source=(-f lavfi -i "testsrc=size=160x90:rate=$2,format=yuv420p,trim=end_frame=$1"
    -f lavfi -i "sine=frequency=220:sample_rate=22050:duration=$3")
}

. "$here/makers/encode.sh"

make_videos() {
  local dir=$media/video source
  local cheap=(-c:v libx264 -preset slow -crf 40 -g 300 -pix_fmt yuv420p -x264-params threads=1:log-level=error -c:a aac -b:a 16k -ac 1 -ar 22050)
  mkdir -p "$dir"

  clip 2
  encode "${source[@]}" "${x264[@]}" -crf 30 "${aac[@]}" "${exact[@]}" "$dir/moov-last.mp4"
  encode -i "$dir/moov-last.mp4" -c copy "${exact[@]}" -movflags +faststart "$dir/faststart.mp4"
  encode -i "$dir/moov-last.mp4" -c copy "${exact[@]}" "$dir/quicktime.mov"
  encode -i "$dir/moov-last.mp4" -c copy "${exact[@]}" -movflags +frag_keyframe+empty_moov+default_base_moof "$dir/fragmented.mp4"
  encode -i "$dir/moov-last.mp4" -c copy "${exact[@]}" "$dir/h264-aac.mkv"
  encode -i "$dir/moov-last.mp4" -c copy "${exact[@]}" "$dir/h264-aac.ts"
  encode -i "$dir/moov-last.mp4" -c copy "${exact[@]}" -live 1 -cluster_time_limit 500 "$dir/live-no-duration.mkv"
  encode -i "$dir/moov-last.mp4" -c copy -an "${exact[@]}" -movflags +faststart "$dir/silent.mp4"
  cut_at 50 "$dir/faststart.mp4" "$dir/truncated-faststart.mp4"
  cp "$dir/moov-last.mp4" "$work/moov-last.mp4"

  # Clips held upright: the picture is stored lying on its side, and a display matrix turns it (make.py writes the matrix).
  # Shown, it is the test card.
  local turn
  for turn in 90:portrait-counterclockwise 270:portrait-clockwise; do
    encode -loop 1 -framerate 25 -t 1 -i "$work/${turn#*:}.ppm" -f lavfi -i sine=frequency=440:sample_rate=44100:duration=1 \
      -vf format=yuv420p "${x264[@]}" -crf 24 "${aac[@]}" "${exact[@]}" -movflags +faststart "$work/turned-${turn%%:*}.mp4"
  done

  # Around the limit of 30 s. The sound always ends with the picture, give or take one AAC frame.
  still 898 30000/1001 29.963266
  encode "${source[@]}" "${cheap[@]}" "${exact[@]}" "$dir/29.963-seconds.mp4"
  still 900 30 30
  encode "${source[@]}" "${cheap[@]}" "${exact[@]}" -movflags +faststart "$dir/30-seconds.mp4"
  still 901 30 30.033333
  encode "${source[@]}" "${cheap[@]}" "${exact[@]}" "$dir/30-seconds-and-a-frame.mp4"
  still 301 10 30.1
  encode "${source[@]}" "${cheap[@]}" "${exact[@]}" "$dir/30.1-seconds.mp4"
  still 775 25 31
  encode "${source[@]}" "${cheap[@]}" "${exact[@]}" "$dir/31-seconds.mp4"
  still 708 24 31
  encode "${source[@]}" "${cheap[@]}" "${exact[@]}" "$dir/audio-longer-29.5-31.mp4"

  # Length that headers hide or reveal.
  still 400 10 40
  encode "${source[@]}" "${cheap[@]}" "${exact[@]}" "$work/forty-seconds.mp4"
  encode -i "$work/forty-seconds.mp4" -c copy "${exact[@]}" -live 1 "$dir/40-seconds-no-duration.mkv"

  # Codecs.
  clip 1 160x90
  local x265=(-c:v libx265 -preset medium -crf 32 -pix_fmt yuv420p -x265-params log-level=error:info=0:pools=none:frame-threads=1)
  encode "${source[@]}" "${x265[@]}" -tag:v hev1 "${aac[@]}" "${exact[@]}" "$dir/hevc-hev1.mp4"
  encode "${source[@]}" "${x265[@]}" -tag:v hvc1 "${aac[@]}" "${exact[@]}" "$dir/hevc-hvc1.mp4"
  encode "${source[@]}" -c:v libvpx-vp9 -crf 40 -b:v 0 -cpu-used 4 -pix_fmt yuv420p -c:a libopus -b:a 24k -ar 48000 "${exact[@]}" "$dir/vp9-opus.webm"
  encode "${source[@]}" -c:v libvpx -crf 30 -b:v 150k -pix_fmt yuv420p -c:a libvorbis -q:a 0 "${exact[@]}" "$dir/vp8-vorbis.webm"
  encode "${source[@]}" -c:v mpeg1video -q:v 12 -c:a mp2 -b:a 64k -ar 44100 "${exact[@]}" -f mpeg "$dir/mpeg1.mpg"
  encode "${source[@]}" -c:v mpeg4 -q:v 10 -c:a libmp3lame -b:a 48k -ar 44100 "${exact[@]}" "$dir/mpeg4-part2.avi"
  encode "${source[@]}" "${x264[@]}" -crf 34 -pix_fmt yuv444p "${aac[@]}" "${exact[@]}" "$dir/h264-yuv444p.mp4"
  encode "${source[@]}" "${x264[@]}" -crf 34 -pix_fmt yuv420p10le "${aac[@]}" "${exact[@]}" "$dir/h264-high10.mp4"
  encode "${source[@]}" -c:v libaom-av1 -cpu-used 8 -crf 45 -pix_fmt yuv420p "${aac[@]}" "${exact[@]}" "$dir/av1.mp4"
  encode "${source[@]}" "${x264[@]}" -crf 34 -vf setsar=4/3 "${aac[@]}" "${exact[@]}" "$dir/anamorphic-4-3.mp4"
  clip 1 160x96
  encode "${source[@]}" "${x264[@]}" -crf 34 -vf tinterlace=interleave_top,fieldorder=tff -flags +ildct+ilme+bitexact "${aac[@]}" \
    -fflags +bitexact -map_metadata -1 -threads 1 "$dir/interlaced.mp4"
  encode -f lavfi -i testsrc=size=161x91:rate=25:duration=1 -c:v libvpx-vp9 -crf 40 -b:v 0 -cpu-used 4 -pix_fmt yuv420p "${exact[@]}" "$dir/odd-161x91.webm"
  # Frames at 0, 1, 4, 9, 16 … fiftieths of a second.
  encode -f lavfi -i testsrc2=size=160x90:rate=50:duration=1,setpts='N*N/50/TB' -frames:v 11 -vsync passthrough "${x264[@]}" -crf 34 \
    "${exact[@]}" "$dir/variable-rate.mkv"

  # Things that must not travel on.
  encode -i "$dir/moov-last.mp4" -c copy "${exact[@]}" -movflags use_metadata_tags -metadata com.apple.quicktime.make='Fixture Works' \
    -metadata com.apple.quicktime.model='Invented One' -metadata com.apple.quicktime.location.ISO6709=+48.8584+002.2945/ "$dir/location-apple.mov"
  printf '1\n00:00:00,200 --> 00:00:01,500\nenclosure-fixture-subtitle\n' >"$work/text.srt"
  printf ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=Two\n' >"$work/chapters.txt"
  encode -i "$dir/moov-last.mp4" -i "$work/text.srt" -i "$work/chapters.txt" -map 0 -map 1 -c copy -c:s mov_text -fflags +bitexact \
    -map_chapters 2 -map_metadata 2 "$dir/subtitle-chapters.mp4"

  python video "$media" "$work"
}

# --- audio ------------------------------------------------------------------------------------------------------------
make_audio() {
  local dir=$media/audio
  mkdir -p "$dir"
  local tone=(-f lavfi -i sine=frequency=440:sample_rate=44100:duration=2)
  local mp3=(-c:a libmp3lame -b:a 64k -ac 1)
  cjpeg -quality 85 -optimize -outfile "$work/cover.jpg" "$work/card.ppm"

  encode "${tone[@]}" -i "$work/cover.jpg" -map 0 -map 1 "${mp3[@]}" -c:v copy -disposition:v attached_pic "${exact[@]}" \
    -id3v2_version 3 -metadata title='Fixture tone' -metadata:s:v comment='Cover (front)' "$dir/id3-cover.mp3"
  encode "${tone[@]}" "${mp3[@]}" "${exact[@]}" -id3v2_version 0 -write_xing 0 "$dir/no-id3.mp3"
  encode "${tone[@]}" "${aac[@]}" "${exact[@]}" -f ipod "$dir/aac.m4a"
  encode -i "$dir/aac.m4a" -i "$work/cover.jpg" -map 0:a -map 1 -c copy -disposition:v:0 attached_pic "${exact[@]}" -f ipod "$dir/aac-cover.m4a"
  encode "${tone[@]}" -c:a alac -ac 1 "${exact[@]}" -f ipod "$dir/alac.m4a"
  encode "${tone[@]}" -t 1 -c:a pcm_s16le -ac 1 "${exact[@]}" "$dir/pcm16.wav"
  encode "${tone[@]}" -t 0.5 -c:a pcm_f32le -ac 1 "${exact[@]}" "$dir/float.wav"
  encode "${tone[@]}" -t 1 -c:a pcm_s16be -ac 1 "${exact[@]}" "$dir/pcm16.aiff"
  encode "${tone[@]}" "${aac[@]}" "${exact[@]}" -f mp4 "$dir/only-aac.mp4"
  encode "${tone[@]}" -c:a libvorbis -q:a 1 "${exact[@]}" "$dir/vorbis.ogg"
  encode "${tone[@]}" -c:a libopus -b:a 32k -ar 48000 "${exact[@]}" "$dir/opus.opus"
  encode "${tone[@]}" -c:a flac "${exact[@]}" "$dir/flac.flac"
  encode "${tone[@]}" "${aac[@]}" "${exact[@]}" -f adts "$dir/adts.aac"
  encode "${tone[@]}" -c:a alac -ac 1 "${exact[@]}" "$dir/alac.caf"
  encode "${tone[@]}" -c:a ac3 -b:a 64k -ac 1 "${exact[@]}" "$dir/ac3.ac3"
  encode "${tone[@]}" -c:a wmav2 -b:a 48k -ac 1 "${exact[@]}" "$dir/wma.wma"
  encode -f lavfi -i sine=frequency=220:sample_rate=22050:duration=31 -c:a libmp3lame -b:a 16k -ac 1 "${exact[@]}" "$dir/31-seconds.mp3"
  python amr "$dir/amr.amr"
}

make_timelines() {
  python timeline "$media" "$work"
}

make_bad() {
  mkdir -p "$media/bad"
  python bad "$media"
}

# --- on demand --------------------------------------------------------------------------------------------------------
make_large() {
  mkdir -p "$1"
  python noisy-gif "$1/noisy.gif"
}

check() {
  local status=0 listed present
  # shellcheck disable=SC2016 # the backticks are Markdown's
  listed=$(sed -n 's/^| `\([a-z]*\/[^`]*\)` |.*/\1/p' "$here/README.md" | sort)
  present=$(cd "$here/media" && find . -type f -printf '%P\n' | sort)
  diff <(echo "$listed") <(echo "$present") --label README.md --label media -u || status=1
  local bytes
  bytes=$(du -cb "$here"/media/*/* | tail -n 1 | cut -f1)
  echo "$(echo "$present" | wc -l) files, $bytes bytes"
  [ "$bytes" -lt 6000000 ] || { echo "make.sh: more than 6 MB" >&2; status=1; }
  return $status
}

main() {
  case ${1:-} in
    --check) check; return ;;
    --large)
      [ $# = 2 ] || { echo "usage: make.sh --large DIR" >&2; exit 64; }
      make_large "$2"; return ;;
    -*) sed -n '2,10p' "${BASH_SOURCE[0]}" >&2; exit 64 ;;
  esac
  install_tools
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  [ $# -gt 0 ] || set -- image animation video encode timeline audio bad
  local part
  for part in "$@"; do
    # Clips and cover art show the test card.
    case $part in video | encode | audio) [ -e "$work/card.ppm" ] || { mkdir -p "$work/media/image"; python image "$work/media" "$work"; } ;; esac
    case $part in
      image) make_images ;;
      animation) make_animations ;;
      video) make_videos; make_posters ;;
      encode) make_encoded ;;
      timeline) make_timelines ;;
      audio) make_audio ;;
      bad) make_bad ;;
      *) echo "make.sh: no part $part" >&2; exit 64 ;;
    esac
  done
}

main "$@"
