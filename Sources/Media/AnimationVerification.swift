import Preparation
import RichPush

func verifyGIF(_ file: MediaFile, _ expected: PreparedFile) throws(Rejection.Reason) {}
