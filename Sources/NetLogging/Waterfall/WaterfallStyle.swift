/// How the page looks.
enum WaterfallStyle {
    static let css = """
        :root{color-scheme:light dark;--back:#fff;--text:#1c1c1e;--soft:#6e6e73;--line:#e5e5ea;--hover:#f5f5f7;
        --blocked:#c7c7cc;--dns:#30b0c7;--connect:#ff9500;--tls:#af52de;--send:#ffcc00;--wait:#34c759;--receive:#007aff;
        --bad:#d70015;--warn:#b25000;--good:#248a3d}
        @media(prefers-color-scheme:dark){:root{--back:#1c1c1e;--text:#f2f2f7;--soft:#98989d;--line:#38383a;--hover:#2c2c2e;
        --blocked:#636366;--bad:#ff6961;--warn:#ffb340;--good:#30db5b}}
        *{box-sizing:border-box}
        body{margin:0 auto;padding:24px;max-width:1400px;background:var(--back);color:var(--text);
        font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
        h1{font-size:22px;margin:0 0 4px}
        header p{margin:0 0 12px;color:var(--soft)}
        .legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 16px;margin:0 0 16px;padding:0;font-size:12px}
        .legend i{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:6px;vertical-align:-1px}
        .scale,summary{display:grid;grid-template-columns:minmax(320px,45%) 1fr;gap:16px;align-items:center}
        .scale{height:22px;border-bottom:1px solid var(--line);color:var(--soft);font-size:11px}
        .scale div{position:relative;height:100%}
        .scale b{position:absolute;font-weight:400;transform:translateX(-50%);white-space:nowrap}
        .scale b:first-child{transform:none}.scale b:last-child{transform:translateX(-100%)}
        .entry{border-bottom:1px solid var(--line)}
        summary{padding:6px 0;cursor:pointer;list-style:none}
        summary::-webkit-details-marker{display:none}
        summary:hover{background:var(--hover)}
        .what{display:grid;grid-template-columns:1fr auto;gap:0 12px;min-width:0}
        .id{grid-column:1/3;color:var(--soft);font-size:11px}
        .line{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
        em{font-style:normal;font-weight:600}
        code,pre,dd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12px}
        .end{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
        .s2 strong{color:var(--good)}.s4 strong{color:var(--warn)}.s5 strong,.failed strong{color:var(--bad)}
        .track{position:relative;height:16px;background:linear-gradient(90deg,var(--line) 1px,transparent 1px) 0 0/25% 100%}
        .track i{position:absolute;top:2px;height:12px;min-width:2px;border-radius:2px}
        .blocked{background:var(--blocked)}.dns{background:var(--dns)}.connect{background:var(--connect)}
        .tls{background:var(--tls)}.send{background:var(--send)}.wait{background:var(--wait)}.receive{background:var(--receive)}
        .details{padding:4px 0 16px 16px;border-left:3px solid var(--line);margin:0 0 8px 2px}
        .details p{margin:4px 0;color:var(--warn)}
        h2{font-size:12px;margin:12px 0 4px;color:var(--soft)}
        dl{display:grid;grid-template-columns:minmax(120px,max-content) 1fr;gap:2px 16px;margin:0}
        dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
        pre{margin:8px 0;padding:8px 12px;background:var(--hover);border-radius:6px;overflow:auto;max-height:320px;
        white-space:pre-wrap;overflow-wrap:anywhere}
        footer{margin-top:16px;color:var(--soft);font-size:12px}
        """
}
