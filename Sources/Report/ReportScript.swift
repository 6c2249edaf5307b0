import RichPush

/// The page's only script: search by name, and how many jobs are left. The verdict's filter is plain CSS.
enum ReportScript {
  static let source = """
    (function () {
      var box = document.getElementById("search"), count = document.getElementById("count");
      var cards = Array.from(document.querySelectorAll(".card"));
      var names = cards.map(function (card) { return card.dataset.name.normalize("NFC").toLowerCase(); });
      function update() {
        var text = box.value.trim().normalize("NFC").toLowerCase();
        var verdict = document.querySelector("input[name=verdict]:checked").value, left = 0;
        cards.forEach(function (card, index) {
          card.hidden = names[index].indexOf(text) < 0;
          if (!card.hidden && (verdict === "all" || card.classList.contains(verdict))) left += 1;
        });
        count.textContent = left === cards.length
          ? "" : left.toLocaleString("en") + " of " + cards.length.toLocaleString("en") + " shown";
      }
      document.querySelector(".search").hidden = false;
      document.querySelector("form").addEventListener("submit", function (event) { event.preventDefault(); });
      document.querySelector("form").addEventListener("input", update);
      update();
    })();
    """

  /// For the page's Content-Security-Policy.
  static let hash = "sha256-" + Base64.encoded(SHA256Digest.of(Array(source.utf8)))
}
