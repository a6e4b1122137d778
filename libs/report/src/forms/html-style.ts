/**
 * The style of a report, on screen and on paper. It loads nothing. Rows of entries have columns of given widths, the
 * same in all tables, so that a long word in one column breaks no words of the others; on paper they lie lengthways.
 */
export const htmlStyle = `
:root{--ink:#1b2733;--soft:#5b6b7a;--line:#dbe2e8;--primary:#2468b2;--secondary:#d9822b;--good:#1d7a46;--bad:#b42318}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:32px 24px;color:var(--ink);background:#fff;font:14px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:26px}h2{margin:36px 0 8px;font-size:18px}
.period{margin:4px 0 20px;color:var(--soft);font-size:16px}
.status{border-left:4px solid var(--good);padding:8px 12px;background:#f1f8f4}
.status.broken{border-color:var(--bad);background:#fdf2f1}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:12px 0;padding:0}
.figures div{border:1px solid var(--line);border-radius:6px;padding:12px}
.figures dt{color:var(--soft);font-size:12px}.figures dd{margin:0;font-size:19px;font-weight:600;overflow-wrap:anywhere}
.charts{display:grid;grid-template-columns:1fr 1fr;gap:24px}
figure{margin:16px 0 0}figcaption{font-weight:600}
svg{display:block;width:100%;max-width:720px;height:auto;overflow:visible}svg text{font-size:11px;fill:var(--soft)}svg line{stroke:var(--line)}.charts svg text{font-size:14px}
rect.primary{fill:var(--primary)}rect.secondary{fill:var(--secondary)}
.legend{margin:0;color:var(--soft);font-size:12px}
.legend span{display:inline-block;width:10px;height:10px;margin:0 4px 0 8px}
.legend .primary{background:var(--primary)}.legend .secondary{background:var(--secondary)}
table{width:100%;border-collapse:collapse;font-size:12.5px}
th,td{padding:4px 8px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:anywhere}
.wide{overflow-x:auto}.rows table{table-layout:fixed;min-width:900px;font-size:12px}.rows :is(th,td){padding:4px 6px;overflow-wrap:break-word}
.rows time{white-space:normal}.rows code{font-size:11px;overflow-wrap:break-word}
.rows th:nth-child(1){width:12%}.rows th:nth-child(2){width:14%}.rows th:nth-child(3){width:12.5%}.rows th:nth-child(4){width:10.5%}
.rows th:nth-child(5){width:14.5%}.rows th:nth-child(7){width:12.5%}
th{color:var(--soft);font-weight:600}.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
time{white-space:nowrap}code{font:11.5px ui-monospace,monospace;overflow-wrap:anywhere}
.note{color:var(--soft)}.statement th{width:180px}summary{cursor:pointer;color:var(--soft)}
@media (max-width:800px){.charts{grid-template-columns:1fr}.charts svg text{font-size:20px}}
@media print{@page{size:landscape;margin:14mm}.wide{overflow:visible}.rows table{min-width:0;font-size:10.5px}.rows code{font-size:9.5px}body{max-width:none;padding:0;font-size:11px}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
thead{display:table-header-group}tr,figure,.figures div{break-inside:avoid}h2{break-after:avoid}.charts{grid-template-columns:1fr 1fr}}
`;
