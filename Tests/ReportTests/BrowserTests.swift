import RichPush
import TestSupport
import Testing

@testable import Report

/// The page in a real browser, without a window.
@Suite(
  "The report in a browser", .enabled(if: TestPrograms.haveChromium, "chromium is not installed; make test does that"))
struct BrowserTests {
  @Test("filters by verdict and searches by name among 2,000 jobs")
  func filters() async throws {
    let result = try await run(
      """
      function shown() { return document.querySelectorAll(".card").values().filter(c => c.checkVisibility()).toArray().length; }
      function choose(id) { var e = document.getElementById(id); e.click(); }
      function search(text) {
        var box = document.getElementById("search");
        box.value = text;
        box.dispatchEvent(new Event("input", { bubbles: true }));
      }
      var seen = [shown()];
      choose("verdict-rejected"); seen.push(shown());
      search("film 7"); seen.push(shown(), document.getElementById("count").textContent);
      choose("verdict-ready"); seen.push(shown());
      search("CAFE\\u0301"); seen.push(shown());
      search(""); choose("verdict-all"); seen.push(shown(), document.getElementById("count").textContent);
      result(seen.join("|"));
      """)
    // 2000; 1000 rejected; those with a 7 first: 7, 71 to 79 odd …; the name in another Unicode form.
    #expect(result == "2000|1000|56|56 of 2,000 shown|0|1000|2000|")
  }

  @Test("asks nobody for anything, and shows every picture that is in it")
  func requests() async throws {
    let result = try await run(
      """
      var faults = performance.getEntriesByType("resource").map(e => e.name).filter(n => !n.startsWith("data:"));
      var picture = document.querySelector(".card.ready");
      [".medium", ".thumbnail", ".copy"].forEach(c => {
        picture.querySelector("details").open = true;
        var box = picture.querySelector("svg" + c).getBoundingClientRect();
        if (box.width < 20 || box.height < 20) faults.push(c + " " + box.width + "x" + box.height);
      });
      result(faults.join("|"));
      """)
    #expect(result == "")
  }

  @Test("can be read and filtered without its script, which then offers no search")
  func withoutScript() async throws {
    let result = try await run(
      """
      function shown(what) {
        return document.querySelectorAll(what).values().filter(e => e.checkVisibility()).toArray().length;
      }
      var first = ".card:nth-child(-n+4) ";
      var seen = [shown(".search"), shown(".card"), shown(first + ".words"), shown(first + ".rejection")];
      document.getElementById("verdict-rejected").click();
      seen.push(shown(".card"));
      document.getElementById("look-dark").click();
      seen.push(getComputedStyle(document.body).backgroundColor);
      result(seen.join("|"));
      """, withoutScript: true)
    #expect(result == "0|2000|4|2|1000|rgb(0, 0, 0)")
  }

  @Test("moves to every control by the keyboard, and shows where one is")
  func keyboard() async throws {
    let result = try await run(
      """
      var faults = [];
      document.querySelectorAll("a, input, summary, video, audio").forEach(e => {
        if (e.closest(".card:nth-child(n+5)")) return;
        if (e.tabIndex < 0) faults.push("tabindex " + e.tagName);
        e.focus({ focusVisible: true });
        if (document.activeElement !== e) faults.push("focus " + e.tagName + e.id);
        var seen = e.type === "radio" ? e.nextElementSibling : e;
        if (getComputedStyle(seen).outlineStyle === "none") faults.push("outline " + e.tagName + e.id);
      });
      result(Array.from(new Set(faults)).join("|"));
      """)
    #expect(result == "")
  }

  @Test("shows light and dark as asked for")
  func appearance() async throws {
    let result = try await run(
      """
      function ground() { return getComputedStyle(document.body).backgroundColor; }
      var seen = [];
      ["look-light", "look-dark"].forEach(id => { document.getElementById(id).click(); seen.push(ground()); });
      result(seen.join("|"));
      """)
    #expect(result == "rgb(242, 242, 247)|rgb(0, 0, 0)")
  }

  @Test("holds animations still where that is asked for, here or of the system", arguments: [false, true])
  func motion(isReduced: Bool) async throws {
    let result = try await run(
      """
      var seen = ["auto", "still", "play"].map(choice => {
        document.getElementById("motion-" + choice).click();
        return [".moving", ".still"].map(what => Array.from(document.querySelectorAll(what))
          .filter(e => getComputedStyle(e).display !== "none").length).join(":");
      });
      result(seen.join("|"));
      """, isReduced ? ["--force-prefers-reduced-motion"] : [])
    #expect(result == (isReduced ? "0:3|0:3|3:0" : "3:0|0:3|3:0"))
  }

  @Test("has a name for every control, and contrast for every text")
  func accessibility() async throws {
    let result = try await run(
      """
      var faults = [];
      document.querySelectorAll("input").forEach(e => { if (!e.labels.length) faults.push("unlabelled " + e.id); });
      document.querySelectorAll("video, audio").forEach(e => { if (!e.getAttribute("aria-label")) faults.push(e.tagName); });
      document.querySelectorAll("img").forEach(e => { if (!e.hasAttribute("alt")) faults.push("img"); });
      document.querySelectorAll("article").forEach(e => {
        if (!document.getElementById(e.getAttribute("aria-labelledby"))) faults.push("article");
      });
      var ids = Array.from(document.querySelectorAll("[id]"), e => e.id);
      if (new Set(ids).size !== ids.length) faults.push("ids");
      function light(colour) {
        var c = colour.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255);
        c = c.map(v => v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
      }
      function ground(e) {
        for (; e; e = e.parentElement) {
          var style = getComputedStyle(e), colour = style.backgroundColor;
          if (style.backgroundImage !== "none") return style.backgroundImage.match(/rgb\\([^)]*\\)/g);
          if (colour !== "rgba(0, 0, 0, 0)") return [colour];
        }
        return ["rgb(255, 255, 255)"];
      }
      ["look-light", "look-dark"].forEach(look => {
        document.getElementById(look).click();
        document.querySelectorAll(".top *, .card:nth-child(-n+4) *").forEach(e => {
          if (!Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim())) return;
          ground(e).forEach(colour => {
            var a = light(getComputedStyle(e).color), b = light(colour);
            var contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (contrast < 4.5) faults.push(look + " " + e.tagName + "." + e.className + " " + contrast.toFixed(2));
          });
        });
      });
      result(Array.from(new Set(faults)).join("|"));
      """)
    #expect(result == "")
  }

  /// Opens a page of 2,000 jobs and runs a script in it, which calls `result` with a text.
  /// - Parameter withoutScript: whether the page's own is kept from running.
  private func run(_ script: String, _ options: [String] = [], withoutScript: Bool = false) async throws -> String? {
    let folder = try TemporaryFolder()
    let page = page(script)
    try folder.write(
      Array((withoutScript ? page.replacing("'\(ReportScript.hash)'", with: "") : page).utf8), to: "page.html")
    let child = try ChildProcess(
      TestPrograms.chromium,
      ([
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--user-data-dir=\(folder.path)/profile",
      ] + options + ["--dump-dom", "file://\(folder.path)/page.html"]).map { Array($0.utf8) },
      environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path])
    _ = await child.wait()
    let dom = String(decoding: child.output, as: UTF8.self)
    // The page's own script has run under its policy, or there would be no search.
    #expect(dom.contains("<p class=\"search\">") != withoutScript)
    guard let start = dom.firstRange(of: "data-result=\"")?.upperBound else { return nil }
    return String(dom[start...].prefix { $0 != "\"" })
  }

  private func page(_ script: String) -> String {
    let page = ReportPage(
      title: "Test", tally: ReportTally(ready: 1000, partial: 0, rejected: 1000), preparedAt: "2026-11-30T02:00:00Z")
    var html = page.beginning
    for number in 1...2000 {
      var entry = number % 2 == 0 ? readyEntry() : rejectedEntry
      if number == 2 {
        entry.manifest.attachments[0].asset.type = .gif
        entry.media["assets/01/a.jpg"] = ReportMedia(contentType: "image/gif", bytes: gif(pictures: 2))
      }
      if number == 4 {
        entry.media = [:]
        entry.leftOut = ["assets/01/a.jpg"]
        entry.manifest.attachments[0].placeholder = Placeholder(thumbHash: "HwgODZqAh4eBh4d4eHh4eI9wCPh3")
      }
      entry.name = number % 2 == 0 ? "café \(number).webp" : "film \(number).mp4"
      html += page.card(entry, number: number)
    }
    let function = "function result(text) { document.body.dataset.result = text; }"
    html += page.end.replacing("</body>", with: "<script nonce=\"test\">\(function)\n\(script)</script></body>")
    return html.replacing("script-src ", with: "script-src 'nonce-test' ")
  }
}
