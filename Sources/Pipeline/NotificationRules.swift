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
    var worst: PayloadFailure?
    for content in leastContents(of: job, at: address) {
      do throws(PayloadFailure) {
        _ = try Payload(notification: prepared(payload), content: content, options: options)
      } catch {
        if case .tooLarge(let bytes, _) = error, case .tooLarge(let other, _) = worst, bytes <= other { continue }
        worst = error
      }
    }
    guard let worst else { return nil }
    guard case .tooLarge(let bytes, let limit) = worst else {
      return Rejection.Reason(.invalidJob, at: .plan, worst.message)
    }
    return Rejection.Reason(.invalidJob, at: .plan, worst.message, limit: Double(limit), measured: Double(bytes))
  }

  /// The least that may have to be said about the media of a job: one address. Which of the sources it is and of which
  /// type is not known yet, so it is the longest identifier with each type.
  ///
  /// Without an address that a phone may fetch from, nothing is said.
  private func leastContents(of job: Job, at address: PublicAddress?) -> [PayloadContent] {
    let identifiers = job.sources.enumerated().map { $1.identifier ?? defaultIdentifier(ofSource: $0 + 1) }
    guard let address, address.isSecure,
      let longest = identifiers.max(by: { JSONValue.string($0).utf8().count < JSONValue.string($1).utf8().count })
    else { return [PayloadContent(media: [])] }
    return AttachmentType.allCases.map { type in
      let location = "assets/00/\(String(repeating: "0", count: 64)).\(type.fileExtension)"
      return PayloadContent(media: [PayloadMedia(identifier: longest, url: address.url(of: location), type: type)])
    }
  }

  /// A payload for which iOS starts the service extension. A VoIP push goes to the app itself.
  private func prepared(_ payload: JSONValue) -> JSONValue {
    options.limit == .voip ? payload : payload.withMutableContent
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
    let media = attachments.compactMap { PayloadMedia($0) }
    if media.count < attachments.count { warn("the media have no public address, so the payload does not name them") }
    let manifest = media.isEmpty ? nil : address?.url(of: "manifests/\(manifestName(ofJob: job.id)).json")
    let content =
      media.count < attachments.count
      ? PayloadContent(media: []) : PayloadContent(media: media, manifest: manifest)
    let notification = attachments.isEmpty ? payload : prepared(payload)
    let (built, loss) = built(of: notification, content)
    if let loss { warn(loss) }
    for omission in built?.omissions ?? [] { warn(omission.message) }
    if let first = media.first, let built, loss == nil {
      let hasPoster = first.poster != nil && !built.omissions.contains(.poster(identifier: first.identifier))
      for doubt in options.presets.compactMap({ $0.doubt(about: first.type, hasPoster: hasPoster) }) { warn(doubt) }
    }
    // Where nothing can be made of it, this says why.
    let completed = built?.json ?? notification
    for finding in check(attachments.map { .init($0.asset) }, isBefore: false).findings(in: completed, at: "payload")
    where finding.severity != .note {
      warn(finding.message, at: finding.place)
    }
    return (completed, warnings)
  }
}

extension NotificationRules {
  /// The most that can be made of a notification, and in words what had to be given up as a whole for it: the keys of
  /// the presets, then all that names the media. A job that was not refused loses neither.
  /// - Returns: no payload when none of it can be sent.
  private func built(of payload: JSONValue, _ content: PayloadContent) -> (payload: Payload?, loss: String?) {
    var plain = options
    plain.presets = []
    let keys = options.presets.map(\.rawValue).joined(separator: ", ")
    let attempts: [(PayloadContent, PayloadOptions, loss: String?)] = [
      (content, options, nil), (content, plain, "left out the keys of \(keys)"),
      (PayloadContent(media: []), plain, "the payload does not name the media"),
    ]
    var reason = ""
    for (content, options, loss) in attempts {
      do throws(PayloadFailure) {
        let built = try Payload(notification: payload, content: content, options: options)
        return (built, loss.map { "\($0): \(reason)" })
      } catch {
        reason = error.message
      }
    }
    return (nil, nil)
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
