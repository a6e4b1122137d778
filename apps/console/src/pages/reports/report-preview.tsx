import { type ReactElement, useEffect, useRef, useState } from 'react';
import { reports as texts } from '../../messages/reports.ts';
import { previewBytes, readReportText, type ReportText } from './report-text.ts';
import type { ReportRowFragment } from './reports.generated.ts';

/** The beginning of a report, as it is; reading it is recorded. */
export default function ReportPreview({ report }: { readonly report: ReportRowFragment }): ReactElement {
  const { textPath, format } = report;
  const bytes = format === 'html' ? previewBytes.html : previewBytes.lines;
  const [read, setRead] = useState<ReportText | { readonly problem: string } | undefined>();
  useEffect(() => {
    const aborter = new AbortController();
    readReportText(textPath, bytes, aborter.signal)
      .then(setRead)
      .catch((error: unknown) => {
        if (!aborter.signal.aborted)
          setRead({ problem: error instanceof Error ? error.message : String(error) });
      });
    return () => aborter.abort();
  }, [textPath, bytes]);
  if (read === undefined) return <div className="skeleton" />;
  if ('problem' in read) {
    return (
      <p className="problem" role="alert">
        {read.problem}
      </p>
    );
  }
  return (
    <>
      {format === 'html' ? (
        <HtmlReport text={read.text} />
      ) : (
        // It scrolls, so the keyboard has to reach it.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre className="code" tabIndex={0} aria-label={texts.preview}>
          {read.text}
        </pre>
      )}
      {read.isCut ? <p className="quiet">{texts.cut(texts.size(bytes))}</p> : null}
    </>
  );
}

/**
 * The report with the styles that it came with, apart from those of the page. It is parsed and not run: the page's
 * Content-Security-Policy lets nothing in it run or load.
 */
function HtmlReport({ text }: { readonly text: string }): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current === null) return;
    // A style element is refused already where it is parsed.
    const rules: string[] = [];
    const unstyled = text.replace(/<style>([^<]*)<\/style>/g, (_, rule: string) => {
      rules.push(rule);
      return '';
    });
    const report = new DOMParser().parseFromString(unstyled, 'text/html');
    const styles = new CSSStyleSheet();
    styles.replaceSync(rules.join('\n').replaceAll(':root', ':host'));
    const shadow = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    shadow.adoptedStyleSheets = [styles];
    shadow.replaceChildren(document.importNode(report.body, true));
  }, [text]);
  // It scrolls, so the keyboard has to reach it.
  // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  return <div ref={host} className="report-html" role="document" tabIndex={0} aria-label={texts.preview} />;
}
