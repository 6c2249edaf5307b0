# Clips that posters are chosen from. Sourced by make.sh, whose functions and variables it uses.

make_posters() {
  local dir=$media/video
  # One key frame, and nothing to see for a second and a half.
  encode -f lavfi -i "testsrc2=size=160x90:rate=25:duration=4,fade=type=in:start_frame=35:nb_frames=5" \
    -c:v libx264 -preset slow -crf 38 -pix_fmt yuv420p -x264-params threads=1:log-level=error:keyint=300:scenecut=0 \
    "${exact[@]}" -movflags +faststart "$dir/black-start.mp4"
  # A key frame every second; the first shows nothing, the second little.
  encode -f lavfi -i "testsrc2=size=160x90:rate=25:duration=6,fade=type=in:start_frame=0:nb_frames=40" \
    -c:v libx264 -preset slow -crf 38 -pix_fmt yuv420p -x264-params threads=1:log-level=error:keyint=25:scenecut=0 \
    "${exact[@]}" "$dir/fade-in.mp4"
  encode -f lavfi -i "testsrc2=size=160x90:rate=25:duration=0.04" "${x264[@]}" -crf 34 "${exact[@]}" "$dir/one-frame.mp4"
  # The card in light: its white is 203 cd/m², its colours are those of BT.2020.
  local light
  for light in pq:smpte2084 hlg:arib-std-b67; do
    encode -loop 1 -framerate 25 -t 0.4 -i "$work/card.ppm" \
      -vf "zscale=min=gbr:pin=bt709:tin=iec61966-2-1:rin=full:m=bt2020nc:p=bt2020:t=${light#*:}:r=limited:npl=203,format=yuv420p10le" \
      -c:v libx265 -preset medium -crf 20 -tag:v hvc1 -color_primaries bt2020 -color_trc "${light#*:}" -colorspace bt2020nc \
      -color_range tv -x265-params log-level=error:info=0:pools=none:frame-threads=1 "${exact[@]}" "$dir/hdr-${light%%:*}.mp4"
  done
}
