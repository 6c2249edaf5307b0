import RichPush

/// A registry in which everything that can be there is there.
let maximalRegistry = #"""
  {
    "$schema": "categories.schema.json",
    "schema": "enclosure.categories/1",
    "categories": [
      {
        "identifier": "message",
        "actions": [
          {
            "identifier": "reply",
            "title": "Reply",
            "options": ["authenticationRequired"],
            "textInput": {"buttonTitle": "Send", "placeholder": "Message"}
          },
          {"identifier": "delete", "title": "Delete", "options": ["destructive", "authenticationRequired"]},
          {"identifier": "open", "title": "Open", "options": ["foreground"]}
        ],
        "options": ["customDismissAction", "hiddenPreviewsShowTitle", "hiddenPreviewsShowSubtitle", "allowInCarPlay"],
        "hiddenPreviewsBodyPlaceholder": "%u messages",
        "intentIdentifiers": ["INSendMessageIntent"],
        "media": ["image", "video", "audio"],
        "contentExtension": {"hidesDefaultContent": true, "initialSizeRatio": 0.75}
      },
      {"identifier": "plain"}
    ]
  }
  """#

/// What that document says.
let maximalCategories = [
  NotificationCategory(
    identifier: "message",
    actions: [
      NotificationAction(
        identifier: "reply", title: "Reply", options: [.authenticationRequired],
        textInput: NotificationAction.TextInput(buttonTitle: "Send", placeholder: "Message")),
      NotificationAction(identifier: "delete", title: "Delete", options: [.destructive, .authenticationRequired]),
      NotificationAction(identifier: "open", title: "Open", options: [.foreground]),
    ],
    options: [.customDismissAction, .hiddenPreviewsShowTitle, .hiddenPreviewsShowSubtitle, .allowInCarPlay],
    hiddenPreviewsBodyPlaceholder: "%u messages", intentIdentifiers: ["INSendMessageIntent"],
    media: [.image, .video, .audio],
    contentExtension: NotificationCategory.ContentExtension(hidesDefaultContent: true, initialSizeRatio: 0.75)),
  NotificationCategory(identifier: "plain"),
]

/// A registry around the JSON of its categories.
func registryText(_ categories: String) -> String {
  #"{"schema": "enclosure.categories/1", "categories": [\#(categories)]}"#
}

func registry(_ categories: String) throws -> CategoryRegistry {
  try CategoryRegistry(parsing: registryText(categories).utf8)
}

/// A finding as one line: severity, code, place.
func summary(_ finding: Finding) -> String {
  "\(finding.severity.rawValue) \(finding.code.rawValue) at \(finding.place)"
}

/// FNV-1a of 32 bits, as the source for the app has it in the names of identifiers that share one.
func nameMark(_ identifier: String) -> String {
  var hash: UInt32 = 0x811c_9dc5
  for byte in identifier.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
  return String(String(UInt64(hash) | 1 << 32, radix: 16).dropFirst())
}
