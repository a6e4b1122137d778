import { formatTime } from '../../components/time/format-time.ts';
import { policy as policyTexts } from '../../messages/policy.ts';
import { timeZone } from '../../state/preferences.ts';

const texts = policyTexts.chart;

/** A schedule or a freeze, as documents and answers have it. */
export interface DescribedWindow {
  readonly kind: 'Schedule' | 'Freeze';
  readonly name: string;
  readonly minReplicas?: number | null;
  readonly maxReplicas?: number | null;
  readonly direction?: keyof typeof texts.stopped | null;
  /** RFC 3339. */
  readonly until: string;
}

/** A window in a sentence: what it is called, what it does, and when it ends. */
export function describeWindow({ kind, name, until, ...window }: DescribedWindow): string {
  const end = formatTime(until, timeZone.get());
  if (kind === 'Freeze') return texts.freezeMark(name, texts.stopped[window.direction ?? 'Both'], end);
  const { minReplicas = null, maxReplicas = null } = window;
  const bounds = [
    minReplicas === null ? undefined : texts.minimumOf(minReplicas),
    maxReplicas === null ? undefined : texts.maximumOf(maxReplicas),
  ].filter((part) => part !== undefined);
  return texts.scheduleMark(name, bounds.join(', '), end);
}
