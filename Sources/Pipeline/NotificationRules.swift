import AssetStore
package import RichPush

/// How the notifications of jobs are checked before any work, and completed after it.
///
/// A job without a payload is left alone.
package struct NotificationRules: Sendable {
  /// What becomes of a job whose category the registry does not have.
  package enum UnknownCategory: String, Sendable, CaseIterable {
    case reject, warn
  }

  /// The app's categories; nil when they are not known.
  package var registry: CategoryRegistry?
  package var unknownCategory: UnknownCategory
  package var options: PayloadOptions

  package init(
    registry: CategoryRegistry? = nil, unknownCategory: UnknownCategory = .reject,
    options: PayloadOptions = PayloadOptions()
  ) {
    self.registry = registry
    self.unknownCategory = unknownCategory
    self.options = options
  }

  /// Why a job is not worth working on: its notification could not be sent, or would show something else.
  /// - Parameter address: where the public gets what is in the store; nil when it cannot.
  func refusal(of job: Job, at address: PublicAddress?) -> Rejection.Reason? {
    guard let payload = job.payload else { return nil }
    if unknownCategory == .reject,
      let finding = check().findings(in: payload).first(where: { $0.code == .unknownCategory })
    {
      return Rejection.Reason(.invalidJob, at: .plan, finding.message)
    }
    do throws(PayloadFailure) {
      _ = try Payload(notification: payload, content: leastContent(at: address), options: options)
      return nil
    } catch {
      switch error {
      case .notSecure: return nil
      case .tooLarge(let bytes, let limit):
        return Rejection.Reason(
          .invalidJob, at: .plan, error.message, limit: Double(limit), measured: Double(bytes))
      case .noNotification, .occupied: return Rejection.Reason(.invalidJob, at: .plan, error.message)
      }
    }
  }

  /// The least that will have to be said about media: one address, as long as they get. Without a public address it is
  /// not known how long that is.
  private func leastContent(at address: PublicAddress?) -> PayloadContent {
    guard let address else { return PayloadContent(media: []) }
    let type = AttachmentType.aiff
    let location = "assets/00/\(String(repeating: "0", count: 64)).\(type.fileExtension)"
    return PayloadContent(media: [PayloadMedia(identifier: "media-1", url: address.url(of: location), type: .wav)])
  }

  private func check(_ media: [PayloadCheck.Medium] = [], isBefore: Bool = true) -> PayloadCheck {
    PayloadCheck(registry: registry, limit: options.limit, media: media, isBeforePreparation: isBefore)
  }

  /// The payload of a manifest, and what its sender may want to know.
  func completed(
    _ job: Job, _ attachments: [Attachment], at address: PublicAddress?
  ) -> (payload: JSONValue?, warnings: [Warning]) {
    guard let payload = job.payload else { return (nil, []) }
    var warnings: [Warning] = []
    func warn(_ message: String, at place: String = "payload") {
      warnings.append(Warning(source: place, code: .payload, message: message))
    }
    var completed = payload
    do throws(PayloadFailure) {
      let media = attachments.compactMap { PayloadMedia($0) }
      if media.count < attachments.count {
        warn("the media have no public address, so the payload does not name them")
        completed = payload.withMutableContent
      } else {
        let manifest = media.isEmpty ? nil : address?.url(of: "manifests/\(manifestName(ofJob: job.id)).json")
        let built = try Payload(
          notification: payload, content: PayloadContent(media: media, manifest: manifest), options: options)
        completed = built.json
        for omission in built.omissions { warn(omission.message) }
      }
      if let first = media.first {
        for doubt in options.presets.compactMap({ $0.doubt(about: first.type) }) { warn(doubt) }
      }
    } catch {
      warn(error.message)
      completed = attachments.isEmpty ? payload : payload.withMutableContent
    }
    for finding in check(attachments.map { .init($0.asset) }, isBefore: false).findings(in: completed, at: "payload")
    where finding.severity != .note {
      warn(finding.message, at: finding.place)
    }
    return (completed, warnings)
  }
}

extension JSONValue {
  /// A payload for which iOS starts the service extension.
  fileprivate var withMutableContent: JSONValue {
    guard case .object(var members) = self, case .object(var aps) = members["aps"] else { return self }
    aps["mutable-content"] = .integer(1)
    members["aps"] = .object(aps)
    return .object(members)
  }
}
