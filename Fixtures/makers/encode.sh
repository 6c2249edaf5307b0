# Videos that have to be encoded anew, one for each thing that has to come out right. Read by make.sh.

# Colours of `$1` (a transfer characteristic by libavfilter's name) and BT.2020, in 10 bits: the test picture's white is
# that of a page.
wide_colours() {
  echo "scale=out_color_matrix=bt709,format=yuv444p,setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv,\
zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=2020:t=$1:m=2020_ncl:r=tv:npl=203,format=yuv420p10le"
}

make_encoded() {
  local dir=$media/encode
  local picture=(-f lavfi -i testsrc2=size=160x90:rate=25:duration=0.4)
  local vp9=(-c:v libvpx-vp9 -crf 20 -b:v 0 -cpu-used 4)
  local bt709=(-colorspace bt709 -color_primaries bt709 -color_trc bt709)
  mkdir -p "$dir"

  # The card, stored lying on its side: what is displayed is the card, 160x240.
  local turn
  for turn in 90:portrait-counterclockwise 270:portrait-clockwise; do
    encode -loop 1 -framerate 25 -t 0.4 -i "$work/${turn#*:}.ppm" -c:v mpeg4 -q:v 2 -pix_fmt yuv420p "${exact[@]}" "$work/lying-${turn%%:*}.mp4"
    # What libavformat calls rotate turns counter-clockwise.
    encode -i "$work/lying-${turn%%:*}.mp4" -c copy "${exact[@]}" -metadata:s:v rotate=$((360 - ${turn%%:*})) "$dir/rotation-${turn%%:*}.mp4"
  done

  local curve
  for curve in smpte2084:pq arib-std-b67:hlg bt2020-10:wide; do
    encode "${picture[@]}" -vf "$(wide_colours "${curve%%:*}")" "${vp9[@]}" -profile:v 2 -colorspace bt2020nc -color_primaries bt2020 \
      -color_trc "${curve%%:*}" "${exact[@]}" "$dir/${curve#*:}.webm"
  done
  encode "${picture[@]}" -vf scale=out_color_matrix=bt709,format=yuv420p "${vp9[@]}" "${bt709[@]}" "${exact[@]}" "$dir/bt709.webm"
  encode "${picture[@]}" -vf scale=out_color_matrix=bt709:out_range=pc,format=yuv420p -color_range pc "${vp9[@]}" "${bt709[@]}" \
    "${exact[@]}" "$dir/full-range.webm"
  encode "${picture[@]}" -c:v ffv1 -level 3 -pix_fmt bgr0 "${exact[@]}" "$dir/rgb.mkv"
  encode "${picture[@]}" -c:v prores_ks -profile:v 4 -vendor apl0 -bits_per_mb 1000 -pix_fmt yuva444p10le "${exact[@]}" "$dir/prores-4444.mov"
  encode "${picture[@]}" -c:v mjpeg -q:v 6 -pix_fmt yuvj422p "${exact[@]}" "$dir/mjpeg.mov"
  encode "${picture[@]}" -c:v wmv2 -q:v 6 "${exact[@]}" "$dir/wmv2.wmv"
  encode "${picture[@]}" -c:v libtheora -q:v 6 "${exact[@]}" "$dir/theora.ogv"
  encode -f lavfi -i testsrc2=size=176x144:rate=25:duration=0.4 -c:v h263 -q:v 6 "${exact[@]}" "$dir/h263.3gp"
  encode -f lavfi -i testsrc2=size=176x144:rate=50:duration=0.4 -vf tinterlace=interleave_top,setdar=16/9 -flags +ilme+ildct \
    -c:v mpeg2video -q:v 6 -pix_fmt yuv422p -fflags +bitexact -map_metadata -1 -threads 1 "$dir/mpeg2-interlaced-anamorphic.ts"
  encode -f lavfi -i testsrc2=size=160x90:rate=100:duration=0.4 "${vp9[@]}" -pix_fmt yuv420p "${exact[@]}" "$dir/100-a-second.webm"
  encode -f lavfi -i testsrc2=size=2048x64:rate=25:duration=0.4 -c:v mpeg4 -q:v 10 "${exact[@]}" "$dir/wide-2048.mp4"
}
