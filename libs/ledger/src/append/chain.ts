import { err, type JsonObject, ok, type Result, runSteps } from '#kernel';
import { summaryTextOf } from '../entries/decision-summary.ts';
import type { ChainedEntry, EntryDraft, StreamHead } from '../entries/entry.ts';
import { emptyHead } from '../entries/entry.ts';
import { hashEntry, newestFormat, payloadTexts } from '../entries/entry-hash.ts';
import { mayResolveIntent } from '../entries/entry-kind.ts';
import { namesOf, textAt } from '../entries/entry-names.ts';
import { timeNanoseconds } from '../entries/entry-time.ts';
import { sha256Hex } from '../entries/hash.ts';
import { isLateStream, isStreamName } from '../entries/stream-name.ts';

/** The longest payload, in UTF-16 units: a decision over 20,000 pods is about half of it. */
export const maximumPayloadLength = 32 * 1024 * 1024;

/** A draft that cannot become an entry. */
export interface InvalidEntry {
  readonly code: 'InvalidEntry';
  readonly message: string;
}

/** Drafts in their places, and where their streams end now. */
export interface Chained {
  readonly entries: readonly ChainedEntry[];
  readonly heads: ReadonlyMap<string, StreamHead>;
}

/** Drafts to be chained. */
export interface ChainRequest {
  readonly cluster: string;
  /** Where the streams end; one that is not named here begins. */
  readonly heads: ReadonlyMap<string, StreamHead>;
  readonly drafts: readonly EntryDraft[];
}

/**
 * Gives each draft its number, its predecessor and its hash, one per step. Drafts of one stream keep their order.
 */
export function* chainEntriesInSteps(
  request: ChainRequest,
): Generator<void, Result<Chained, InvalidEntry>, void> {
  const heads = new Map<string, StreamHead>();
  const entries: ChainedEntry[] = [];
  for (const draft of request.drafts) {
    const head = heads.get(draft.stream) ?? request.heads.get(draft.stream) ?? emptyHead(draft.stream);
    const entry = continueChain({ head, cluster: request.cluster, draft, earlier: entries });
    if (!entry.ok) return entry;
    entries.push(entry.value);
    heads.set(draft.stream, { stream: draft.stream, seq: entry.value.seq, hash: entry.value.hash });
    yield;
  }
  return ok({ entries, heads });
}

/** The same at once. */
export function chainEntries(request: ChainRequest): Result<Chained, InvalidEntry> {
  return runSteps(chainEntriesInSteps(request));
}

function continueChain(link: {
  readonly head: StreamHead;
  readonly cluster: string;
  readonly draft: EntryDraft;
  readonly earlier: readonly ChainedEntry[];
}): Result<ChainedEntry, InvalidEntry> {
  const { head, cluster, draft } = link;
  const nanoseconds = timeNanoseconds(draft.time);
  if (nanoseconds === null) return invalid(draft, `time is no RFC 3339 time: ${JSON.stringify(draft.time)}`);
  if (!isStreamName(draft.stream)) return invalid(draft, 'this is no stream name');
  const payload: JsonObject =
    typeof draft.payload === 'function' ? draft.payload(link.earlier) : draft.payload;
  const { payloadText, hashedText, observation } = payloadTexts(draft.kind, payload, sha256Hex);
  if (payloadText.length > maximumPayloadLength)
    return invalid(draft, `payload has ${payloadText.length} characters, at most ${maximumPayloadLength}`);
  const seq = head.seq + 1n;
  const { stream, kind, time } = draft;
  const header = { stream, seq, cluster, kind, time, previousHash: head.hash };
  return ok({
    ...header,
    format: newestFormat,
    hash: hashEntry(header, sha256Hex(hashedText), sha256Hex),
    payloadText,
    observation,
    timeNanoseconds: nanoseconds,
    action: kind === 'Decision' ? textAt(payload['decision'], 'action') : null,
    summary: kind === 'Decision' ? summaryTextOf(payload['decision']) : null,
    ...namesOf({ kind, payload }),
    resolvesIntent: mayResolveIntent(kind) && !isLateStream(stream) ? textAt(payload, 'intent') : null,
  });
}

function invalid(draft: EntryDraft, problem: string): { readonly ok: false; readonly error: InvalidEntry } {
  return err({
    code: 'InvalidEntry',
    message: `${draft.kind} for stream ${JSON.stringify(draft.stream)}: ${problem}`,
  });
}
