import type { ReactElement } from 'react';
import { SeverityShape } from '../../components/states/state-badge.tsx';
import type { Severity } from '../../components/states/state-severity.ts';
import { sources as texts } from '../../messages/sources.ts';

/** What the health of a source is told by. */
export interface SourceHealth {
  readonly staleSince: string | null;
  readonly pin: { readonly commit: string } | null;
  readonly lastSync: { readonly result: string } | null;
  readonly holds: readonly { readonly isRejected: boolean }[];
  readonly notVisibleHoldCount: number;
  /** Newest first; null: the database does not answer. */
  readonly recentRevisions: readonly { readonly outcome: string }[] | null;
}

/** The most pressing thing that is to say of a source, in a word. */
export function SourceState({ source }: { readonly source: SourceHealth }): ReactElement {
  const { word, severity } = healthOf(source);
  return (
    <span className="badge" data-severity={severity}>
      {severity === 'quiet' ? null : <SeverityShape severity={severity} />}
      {word}
    </span>
  );
}

function healthOf({ staleSince, pin, lastSync, recentRevisions, ...of }: SourceHealth): {
  readonly word: string;
  readonly severity: Severity;
} {
  const { health } = texts;
  if (staleSince !== null) return { word: health.stale, severity: 'critical' };
  if (lastSync?.result === 'failed') return { word: health.failed, severity: 'critical' };
  if (isWaiting(of)) return { word: health.held, severity: 'attention' };
  if (of.holds.length > 0 || recentRevisions?.[0]?.outcome === 'rejected')
    return { word: health.rejected, severity: 'attention' };
  if (pin !== null) return { word: health.pinned, severity: 'operator' };
  return { word: health.fresh, severity: 'quiet' };
}

function isWaiting({
  holds,
  notVisibleHoldCount,
}: Pick<SourceHealth, 'holds' | 'notVisibleHoldCount'>): boolean {
  return notVisibleHoldCount > 0 || holds.some(({ isRejected }) => !isRejected);
}
