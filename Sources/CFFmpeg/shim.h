// What of FFmpeg's libraries Swift cannot import: macros with arguments or casts.
#ifndef ENCLOSURE_CFFMPEG_SHIM_H
#define ENCLOSURE_CFFMPEG_SHIM_H
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavformat/avio.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

static const int enclosure_av_eof = AVERROR_EOF;
static const int enclosure_av_exit = AVERROR_EXIT;
static const int enclosure_av_again = AVERROR(EAGAIN);
static const int enclosure_av_io = AVERROR(EIO);
static const int enclosure_av_invalid_argument = AVERROR(EINVAL);
static const int enclosure_av_not_permitted = AVERROR(EPERM);
static const int enclosure_av_out_of_memory = AVERROR(ENOMEM);
static const int enclosure_av_not_implemented = AVERROR(ENOSYS);
static const int enclosure_av_out_of_range = AVERROR(ERANGE);
static const int enclosure_av_experimental = AVERROR_EXPERIMENTAL;
static const int enclosure_av_patch_welcome = AVERROR_PATCHWELCOME;
static const int enclosure_av_invalid_data = AVERROR_INVALIDDATA;
static const int enclosure_av_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
static const int64_t enclosure_av_no_timestamp = AV_NOPTS_VALUE;
#endif
