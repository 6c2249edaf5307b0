import CFFmpeg

/// What the numbers of a stream's pictures mean as colours, and what they are made to mean.
struct PictureColour {
  enum Treatment: Equatable {
    /// The colours stay what they are; so do their tags.
    case keep
    /// Colours for other screens, of which a part lies outside BT.709.
    case narrow
    /// High dynamic range.
    case toneMap
  }

  let treatment: Treatment
  /// What comes in. Where the stream does not say, what its size suggests.
  let matrix: AVColorSpace
  let primaries: AVColorPrimaries
  let transfer: AVColorTransferCharacteristic
  let isFullRange: Bool
  /// Whether the pictures come as red, green and blue, or as indices of such.
  let isRGB: Bool

  init(of parameters: AVCodecParameters, toneMaps: Bool) {
    let format = AVPixelFormat(rawValue: parameters.format)
    let flags = av_pix_fmt_desc_get(format)?.pointee.flags ?? 0
    isRGB = flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
    let oldFullRange = [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P]
    isFullRange = parameters.color_range == AVCOL_RANGE_JPEG || oldFullRange.contains(format)

    let isHDR = toneMaps
    // Where nothing is said, players take small pictures for BT.601, as television was before it had more lines.
    let isSmall = parameters.width < 1280 && parameters.height <= 576
    let guess = isHDR ? AVCOL_SPC_BT2020_NCL : isSmall ? AVCOL_SPC_SMPTE170M : AVCOL_SPC_BT709
    matrix = PictureColour.names[parameters.color_space] == nil ? guess : parameters.color_space
    let isWide = matrix == AVCOL_SPC_BT2020_NCL || matrix == AVCOL_SPC_BT2020_CL
    let said = parameters.color_primaries
    if said != AVCOL_PRI_UNSPECIFIED, said.rawValue > 0, said != AVCOL_PRI_RESERVED {
      primaries = said
    } else {
      primaries =
        switch matrix {
        case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: AVCOL_PRI_BT2020
        case AVCOL_SPC_SMPTE170M: AVCOL_PRI_SMPTE170M
        case AVCOL_SPC_BT470BG: AVCOL_PRI_BT470BG
        default: AVCOL_PRI_BT709
        }
    }
    let curve = parameters.color_trc
    let isNamed = curve != AVCOL_TRC_UNSPECIFIED && curve.rawValue > 0 && curve != AVCOL_TRC_RESERVED
    transfer = isNamed ? curve : isHDR ? AVCOL_TRC_SMPTE2084 : AVCOL_TRC_BT709
    treatment = isHDR ? .toneMap : isWide || said == AVCOL_PRI_BT2020 ? .narrow : .keep
  }

  /// How the matrices that libswscale knows are called by its filter.
  private static let names: [AVColorSpace: String] = [
    AVCOL_SPC_BT709: "bt709", AVCOL_SPC_FCC: "fcc", AVCOL_SPC_BT470BG: "bt470", AVCOL_SPC_SMPTE170M: "smpte170m",
    AVCOL_SPC_SMPTE240M: "smpte240m", AVCOL_SPC_BT2020_NCL: "bt2020", AVCOL_SPC_BT2020_CL: "bt2020",
  ]

  /// What goes out.
  var outputMatrix: AVColorSpace { treatment == .keep && !isRGB ? matrix : AVCOL_SPC_BT709 }
  var outputPrimaries: AVColorPrimaries {
    treatment != .keep || (isRGB && primaries == AVCOL_PRI_SMPTE170M) ? AVCOL_PRI_BT709 : primaries
  }
  var outputTransfer: AVColorTransferCharacteristic {
    // What screens do with sRGB and BT.709 is the same; few players know the former in a video.
    treatment != .keep || transfer == AVCOL_TRC_IEC61966_2_1 ? AVCOL_TRC_BT709 : transfer
  }

  /// The options of the filter `scale` that say so.
  var scaling: String {
    let output = PictureColour.names[outputMatrix] ?? "bt709"
    let range = ":in_range=\(isFullRange ? "full" : "limited"):out_range=limited"
    guard !isRGB else { return "out_range=limited:out_color_matrix=\(output)" }
    return "in_color_matrix=\(PictureColour.names[matrix] ?? "bt709"):out_color_matrix=\(output)" + range
  }

  /// The filters that bring colours into BT.709, of pictures that have their final size and limited range already.
  var conversion: String? {
    // zscale takes what comes in from the pictures alone.
    let said =
      "setparams=colorspace=\(matrix.rawValue):color_primaries=\(primaries.rawValue):color_trc=\(transfer.rawValue)"
      + ":range=limited"
    switch treatment {
    case .keep: return nil
    case .narrow: return said + ",zscale=m=709:p=709:t=709:r=limited,format=yuv420p"
    case .toneMap:
      // White lies at 203 cd/m² in pictures of high dynamic range (ITU-R BT.2408); what is brighter than 1000, as few
      // screens are, is cut off. Only what is brighter than white loses colour on its way to white.
      return said + ",zscale=t=linear:p=709:npl=203,format=gbrpf32le,tonemap=mobius:param=0.4:peak=4.93:desat=1,"
        + "zscale=t=709:m=709:r=limited,format=yuv420p"
    }
  }
}
