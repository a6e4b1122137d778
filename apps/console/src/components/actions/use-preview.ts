import { useEffect, useRef, useState } from 'react';
import { serverNow } from '../../api/server-time.ts';
import { session } from '../../api/session.ts';
import { useStore } from '../../state/store.ts';
import type { ActionPreview } from './action-requests.ts';

/** What was not answered is asked again after so long. */
const retryMilliseconds = 3_000;

/** After this part of its time the end of an action would be another one, and is looked up anew. */
const outdatedPart = 1 / 12;

interface LookedAt {
  /** Undefined: it is being looked up. */
  readonly preview: ActionPreview | undefined;
  /** The end that was looked at, which is the one to be carried out with; the empty text: none. */
  readonly expires: string;
}

interface PreviewRequest {
  /** Null: nothing is asked. */
  readonly key: string | null;
  /** What was sent, and not carried out, may do something else by now. */
  readonly failures: number;
  /** From now to the end of the action; undefined: it has none. */
  readonly seconds: number | undefined;
  readonly look: (expires: string) => Promise<ActionPreview>;
}

/**
 * What the action would do with what is in the fields. After a new sign-in, and as its end moves on, it is looked up again.
 */
export function usePreview({ key, failures, seconds, look }: PreviewRequest): LookedAt {
  const [known, setKnown] = useState<(LookedAt & { readonly key: string }) | undefined>();
  const { kind } = useStore(session);
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  });
  useEffect(() => {
    if (kind !== 'SignedIn' || key === null) return undefined;
    let isWanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      const expires = seconds === undefined ? '' : endAfter(seconds);
      const preview = await latest.current(expires);
      if (!isWanted) return;
      setKnown({ key, preview, expires });
      const wait = preview.kind === 'NoAnswer' ? retryMilliseconds : outdatedMilliseconds(seconds);
      if (wait !== undefined) timer = setTimeout(() => void ask(), wait);
    };
    void ask();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, failures, seconds, kind]);
  return known?.key === key ? known : { preview: undefined, expires: '' };
}

function outdatedMilliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000 * outdatedPart;
}

/** By the server's clock: the browser's may be an hour off. */
function endAfter(seconds: number): string {
  return new Date(serverNow() + seconds * 1_000).toISOString();
}
