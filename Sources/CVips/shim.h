// libvips' variadic functions and GType macros, with fixed signatures. Every function returns 0 on success, and the
// image it made then belongs to the caller.
#ifndef ENCLOSURE_CVIPS_SHIM_H
#define ENCLOSURE_CVIPS_SHIM_H
#include <vips/vips.h>

// Loaders. Pixels are read once, from top to bottom; data that ends early is an error.
#define ENCLOSURE_LOAD "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED

static inline int enclosure_vips_load_jpeg(VipsSource *source, int shrink, VipsImage **out) {
  return vips_jpegload_source(source, out, ENCLOSURE_LOAD, "shrink", shrink, NULL);
}
static inline int enclosure_vips_load_png(VipsSource *source, VipsImage **out) {
  return vips_pngload_source(source, out, ENCLOSURE_LOAD, NULL);
}
static inline int enclosure_vips_load_gif(VipsSource *source, int pages, VipsImage **out) {
  return vips_gifload_source(source, out, ENCLOSURE_LOAD, "n", pages, NULL);
}
static inline int enclosure_vips_load_webp(VipsSource *source, int pages, VipsImage **out) {
  return vips_webpload_source(source, out, ENCLOSURE_LOAD, "n", pages, NULL);
}
static inline int enclosure_vips_load_heif(VipsSource *source, VipsImage **out) {
  return vips_heifload_source(source, out, ENCLOSURE_LOAD, NULL);
}
static inline int enclosure_vips_load_tiff(VipsSource *source, VipsImage **out) {
  return vips_tiffload_source(source, out, ENCLOSURE_LOAD, NULL);
}

// Operations.
static inline int enclosure_vips_resize(VipsImage *in, double x, double y, VipsImage **out) {
  return vips_resize(in, out, x, "vscale", y, "kernel", VIPS_KERNEL_LANCZOS3, NULL);
}
static inline int enclosure_vips_premultiply(VipsImage *in, VipsImage **out) { return vips_premultiply(in, out, NULL); }
static inline int enclosure_vips_unpremultiply(VipsImage *in, VipsImage **out) {
  return vips_unpremultiply(in, out, NULL);
}
static inline int enclosure_vips_cast(VipsImage *in, VipsBandFormat format, VipsImage **out) {
  return vips_cast(in, out, format, NULL);
}
static inline int enclosure_vips_rotate(VipsImage *in, VipsAngle angle, VipsImage **out) {
  return vips_rot(in, out, angle, NULL);
}
static inline int enclosure_vips_flip(VipsImage *in, VipsDirection direction, VipsImage **out) {
  return vips_flip(in, out, direction, NULL);
}
static inline int enclosure_vips_smart_crop(VipsImage *in, int width, int height, VipsImage **out) {
  return vips_smartcrop(in, out, width, height, "interesting", VIPS_INTERESTING_ATTENTION, NULL);
}
static inline int enclosure_vips_extract_area(VipsImage *in, int left, int top, int width, int height, VipsImage **out) {
  return vips_extract_area(in, out, left, top, width, height, NULL);
}
static inline int enclosure_vips_extract_bands(VipsImage *in, int first, int count, VipsImage **out) {
  return vips_extract_band(in, out, first, "n", count, NULL);
}
static inline int enclosure_vips_add_alpha(VipsImage *in, VipsImage **out) { return vips_addalpha(in, out, NULL); }
static inline int enclosure_vips_convert(VipsImage *in, VipsInterpretation space, VipsImage **out) {
  return vips_colourspace(in, out, space, NULL);
}
static inline int enclosure_vips_copy_as(VipsImage *in, VipsInterpretation space, VipsImage **out) {
  return vips_copy(in, out, "interpretation", space, NULL);
}
/// To sRGB by the embedded profile, or by `fallback` where none is embedded or it does not fit.
static inline int enclosure_vips_convert_profile(VipsImage *in, const char *fallback, VipsImage **out) {
  return vips_icc_transform(
    in, out, "srgb", "embedded", TRUE, "input_profile", fallback, "depth", 8, NULL);
}
/// To sRGB from `profile`, whatever is embedded.
static inline int enclosure_vips_convert_fallback(VipsImage *in, const char *profile, VipsImage **out) {
  return vips_icc_transform(
    in, out, "srgb", "embedded", FALSE, "input_profile", profile, "depth", 8, NULL);
}

// Savers.
static inline int enclosure_vips_save_png(VipsImage *in, int palette, VipsTarget *target) {
  return palette ? vips_pngsave_target(
                     in, target, "compression", 9, "filter", VIPS_FOREIGN_PNG_FILTER_NONE, "strip", TRUE, "palette",
                     TRUE, "Q", 100, "dither", 0.0, NULL)
                 : vips_pngsave_target(
                     in, target, "compression", 6, "filter", VIPS_FOREIGN_PNG_FILTER_ALL, "strip", TRUE, NULL);
}
/// A pixel that differs from the one below by less than anyone sees stays, which compresses better.
static inline int enclosure_vips_save_gif(VipsImage *in, int bits, int effort, double dither, VipsTarget *target) {
  return vips_gifsave_target(
    in, target, "bitdepth", bits, "effort", effort, "dither", dither, "interframe_maxerror", 4.0, "strip", TRUE,
    NULL);
}

/// A target that hands everything to `write`, which returns how many bytes it took, or -1 to make the saver fail.
static inline VipsTarget *enclosure_vips_target(
  gint64 (*write)(VipsTargetCustom *, const void *, gint64, void *), void *context) {
  VipsTargetCustom *target = vips_target_custom_new();
  if (target) g_signal_connect_data(target, "write", G_CALLBACK(write), context, NULL, 0);
  return (VipsTarget *)target;
}

// Macros.
static inline void *enclosure_vips_region_address(VipsRegion *region, int x, int y) {
  return VIPS_REGION_ADDR(region, x, y);
}
static inline int enclosure_vips_set_demand(VipsImage *image) {
  return vips_image_pipelinev(image, VIPS_DEMAND_STYLE_THINSTRIP, NULL);
}
#endif
