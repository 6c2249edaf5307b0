import CFFmpeg
package import Preparation
package import RichPush

/// Makes the still of a video.
/// - Parameter output: an empty file, readable and writable.
package func makePoster(
  of video: MediaFile, into output: Int32, _ request: PosterRequest
) throws(Rejection.Reason) -> PreparedPoster {
  let search = try PosterSearch(video, duration: request.duration)
  let found = try search.found()
  let picture = try PosterPicture(found.frame, turn: search.turn, pixelAspect: search.pixelAspect(of: found.frame))
  var steps = ["took the picture at \(rounded(found.seconds)) s"]
  let pixels = try picture.pixels(side: request.recipe.side, steps: &steps)
  let still = StillRecipe(
    width: pixels.width, height: pixels.height, quality: request.recipe.quality,
    maximumBytes: request.recipe.maximumBytes)
  let file = try writeStill(pixels, into: output, still, steps: steps)
  return PreparedPoster(file: file, seconds: found.seconds)
}

/// Makes a picture of a video that takes the video's place.
func preparePoster(
  of video: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: PosterRecipe
) throws(Rejection.Reason) -> PreparedFile {
  guard case .video(let whole) = facts.content, let duration = whole.duration.presented else {
    throw Rejection.Reason(.unsupportedType, at: .prepare, "the source is no video whose length is known")
  }
  var file = try makePoster(of: video, into: output, PosterRequest(recipe: recipe, duration: duration)).file
  file.reductions.append("the video lasts \(rounded(duration)) s, which is too long; a picture of it takes its place")
  return file
}
