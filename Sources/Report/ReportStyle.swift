/// How the page looks. Every colour of text has a contrast of 4.5 and more to its ground (WCAG 2.1 AA).
enum ReportStyle {
  private static let light = """
    color-scheme: light; --page: #f2f2f7; --card: #fff; --text: #1c1c1e; --quiet: #5c5c63; --line: #d1d1d6;
    --wall: linear-gradient(160deg, #a8c4e6, #d9c3dd); --glass: #f6f6f8; --on-wall: #1c1c1e; --track: #e0e0e6;
    --ready: #176b2c; --partial: #8a4b00; --rejected: #b3140c; --near: #b36b00; --fill: #0a63c9; --destructive: #b3140c;
    """

  private static let dark = """
    color-scheme: dark; --page: #000; --card: #1c1c1e; --text: #f2f2f7; --quiet: #aeaeb4; --line: #3a3a3e;
    --wall: linear-gradient(160deg, #16263d, #35233c); --glass: #2b2b30; --on-wall: #f2f2f7; --track: #3a3a40;
    --ready: #5fd07a; --partial: #ffb455; --rejected: #ff8079; --near: #ffb455; --fill: #5aa9ff; --destructive: #ff8079;
    """

  static let css = """
    :root { \(light) --moving: block; --still: none; }
    @media (prefers-color-scheme: dark) { :root:not(:has(#look-light:checked)) { \(dark) } }
    :root:has(#look-dark:checked) { \(dark) }
    @media (prefers-reduced-motion: reduce) {
      :root:not(:has(#motion-play:checked)) { --moving: none; --still: block; } }
    :root:has(#motion-still:checked) { --moving: none; --still: block; }
    .card .moving { display: var(--moving); } .card .still { display: var(--still); }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--page); color: var(--text);
      font: 15px/1.4 -apple-system, "SF Pro Text", "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
    p, h1, h2, figure, dl, ul, ol { margin: 0; }
    [hidden] { display: none !important; }
    .skip { position: absolute; left: -999px; }
    .skip:focus { left: 8px; top: 8px; background: var(--card); color: var(--text); padding: 8px; z-index: 2; }
    :focus-visible { outline: 3px solid var(--fill); outline-offset: 2px; }
    .top { padding: 20px 24px 12px; background: var(--card); border-bottom: 1px solid var(--line); }
    h1 { font-size: 24px; overflow-wrap: anywhere; }
    .top p { color: var(--quiet); }
    .filters { display: flex; flex-wrap: wrap; gap: 8px 28px; align-items: center; margin-top: 12px; }
    fieldset { border: 0; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: 4px; align-items: center; }
    legend { float: left; padding: 0; margin-right: 8px; color: var(--quiet); }
    fieldset input { position: absolute; opacity: 0; }
    fieldset label { padding: 4px 12px; border: 1px solid var(--line); border-radius: 999px; cursor: pointer; }
    fieldset input:checked + label { background: var(--text); color: var(--card); border-color: var(--text); }
    fieldset input:focus-visible + label { outline: 3px solid var(--fill); outline-offset: 2px; }
    .search input { font: inherit; padding: 4px 10px; width: 220px; color: inherit; background: var(--page);
      border: 1px solid var(--quiet); border-radius: 8px; }
    main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 620px), 1fr)); gap: 16px;
      padding: 16px 24px 40px; align-items: start; }
    .card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 14px 16px 16px;
      display: grid; gap: 10px; min-width: 0; content-visibility: auto; contain-intrinsic-size: auto 560px; }
    :root:has(#verdict-ready:checked) .card:not(.ready), :root:has(#verdict-partial:checked) .card:not(.partial),
    :root:has(#verdict-rejected:checked) .card:not(.rejected) { display: none; }
    .card > header { display: flex; gap: 12px; align-items: baseline; justify-content: space-between; }
    h2 { font-size: 16px; overflow-wrap: anywhere; min-width: 0; }
    .verdict { font-weight: 600; text-transform: capitalize; border: 1px solid; border-radius: 999px; padding: 0 10px; }
    .ready .verdict { color: var(--ready); } .partial .verdict { color: var(--partial); }
    .rejected .verdict { color: var(--rejected); }
    .facts, .code, figcaption, .bar, dt, .missing { color: var(--quiet); font-size: 13px; overflow-wrap: anywhere; }
    .phones { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; align-items: start; }
    @media (max-width: 560px) { .phones { grid-template-columns: 1fr; } }
    .phone { background: var(--wall); color: var(--on-wall); border-radius: 22px; padding: 8px 10px 12px; min-width: 0; }
    .phone > figcaption { color: var(--on-wall); text-align: center; margin-bottom: 6px; }
    .banner { display: flex; gap: 10px; align-items: center; background: var(--glass); border-radius: 18px; padding: 10px; }
    .opened { background: var(--glass); border-radius: 18px; overflow: hidden; }
    .icon { flex: none; width: 34px; height: 34px; border-radius: 8px; background: #0a63c9; color: #fff; display: grid;
      place-items: center; font-weight: 700; }
    .words { flex: 1; min-width: 0; font-size: 14px; line-height: 1.3; }
    .words p { overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
      overflow-wrap: anywhere; }
    .words p.body { -webkit-line-clamp: 4; }
    .words.open p { display: block; overflow: visible; white-space: pre-line; }
    .title { font-weight: 600; } .invented { font-style: italic; }
    .aside { flex: none; display: grid; gap: 4px; justify-items: end; align-self: start; }
    .when { font-size: 12px; color: var(--quiet); }
    .thumbnail { flex: none; width: 38px; height: 38px; object-fit: cover; border-radius: 6px; }
    .medium { display: block; width: 100%; height: auto; max-height: 420px; object-fit: contain; background: #000; }
    img.medium, svg.medium { background: transparent; }
    .sound { display: block; width: 100%; padding: 10px 10px 0; }
    .phone .missing { padding: 24px 10px; text-align: center; }
    .instead { padding: 6px 10px 0; font-size: 13px; color: var(--quiet); text-align: center; }
    .actions { list-style: none; padding: 0; margin-top: 8px; background: var(--glass); border-radius: 14px; }
    .actions li { padding: 8px 12px; border-top: 1px solid var(--line); }
    .actions li:first-child { border-top: 0; } .actions small { color: var(--quiet); }
    .destructive { color: var(--destructive); }
    .bars { display: grid; gap: 4px; }
    .bar { display: grid; grid-template-columns: 9em 1fr 11em; gap: 10px; align-items: center; }
    .bar-text { text-align: right; }
    @media (max-width: 560px) { .bar { grid-template-columns: 1fr auto; gap: 2px 10px; }
      .bar .track { grid-area: 2 / 1 / 3 / 3; } }
    .track { height: 8px; border-radius: 4px; background: var(--track); overflow: hidden; }
    .track i { display: block; height: 100%; border-radius: 4px; background: var(--fill); }
    .track.near i { background: var(--near); } .track.over i { background: var(--rejected); }
    .rejection { border-left: 4px solid var(--rejected); padding: 2px 0 2px 10px; overflow-wrap: anywhere; }
    .rejection strong { color: var(--rejected); }
    .warning { border-left: 4px solid var(--near); padding-left: 10px; overflow-wrap: anywhere; }
    .warning strong { color: var(--partial); }
    summary { cursor: pointer; }
    details > * + * { margin-top: 8px; }
    .comparison { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; align-items: end; }
    .copy { display: block; width: 100%; max-height: 260px; }
    .comparison img { display: block; max-width: 100%; max-height: 260px; }
    dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; } dd { margin: 0; overflow-wrap: anywhere;
      min-width: 0; }
    @media print { .filters { display: none; } .card { break-inside: avoid; content-visibility: visible; } }
    """
}
