import { isJsonObject, type Json } from '#kernel';
import type { StreamHead } from '../entries/entry.ts';
import { adminStream } from '../entries/stream-name.ts';
import { parseCanonicalJson } from './canonical-text.ts';
import { entrySelector, type ExportFilter } from './export-filter.ts';
import type { UnverifiedEntry } from './verify-stream.ts';

/** What is wrong with a segment, as far as what was recorded of it tells. */
export interface SegmentFault {
  readonly code: 'SegmentUnrecorded' | 'WrongSegment';
  readonly message: string;
}

/** Of each stream: deletions that were announced and not made are few, and are announced again. */
const maximumRecords = 16;

interface SegmentRecord extends StreamHead {
  /** The number of the entry that announces the deletion. */
  readonly announced: bigint;
}

/**
 * Compares the segments of an export with the entries that announced them, which come before all other streams. Before
 * such an entry expires, retention announces again what stands, so only a filter leaves a segment without its record.
 */
export class RecordedSegments {
  readonly #isComparable: boolean;
  readonly #records = new Map<string, readonly SegmentRecord[]>();
  /** The segment of the stream that has the records. */
  #own: StreamHead | null = null;
  readonly #selects: (entry: UnverifiedEntry) => boolean;
  /** The number of the last entry whose records the filter leaves out; 0: none. */
  #lastHidden = 0n;

  constructor(filter: ExportFilter) {
    this.#isComparable = filter.namespaces === null && filter.policies === null;
    this.#selects = entrySelector(filter);
  }

  /** Takes a segment, where its stream begins. */
  begin(segment: StreamHead): SegmentFault | null {
    if (segment.stream !== adminStream) return this.#faultOf(segment);
    this.#own = segment;
    return null;
  }

  /** Takes an entry that is verified. */
  look(entry: UnverifiedEntry): void {
    if (entry.stream !== adminStream || entry.kind !== 'RetentionRun') return;
    if (!('payloadText' in entry)) {
      if (!this.#selects(entry)) this.#lastHidden = entry.seq;
      return;
    }
    for (const segment of segmentsOf(entry.payloadText)) {
      const records = this.#records.get(segment.stream) ?? [];
      this.#records.set(segment.stream, [
        ...records.slice(1 - maximumRecords),
        { ...segment, announced: entry.seq },
      ]);
    }
  }

  /** Takes the end of a stream. */
  end(stream: string): SegmentFault | null {
    return stream === this.#own?.stream ? this.#faultOf(this.#own) : null;
  }

  #faultOf({ stream, seq, hash }: StreamHead): SegmentFault | null {
    if (!this.#isComparable) return null;
    const records = this.#records.get(stream) ?? [];
    const record = records.findLast((each) => each.seq === seq);
    if (record?.hash === hash) return null;
    const deleted = `entries up to number ${seq} are deleted`;
    if (record !== undefined) {
      const message = `${deleted}, the last of them ${hash}; ${adminStream}#${record.announced} announced ${record.hash}`;
      return { code: 'WrongSegment', message };
    }
    // What announced the deletion of entries comes after them, in their own stream as well.
    const isHidden =
      this.#lastHidden > (stream === adminStream ? seq : 0n) &&
      !records.some((each) => each.seq < seq && each.announced > this.#lastHidden);
    return isHidden
      ? null
      : { code: 'SegmentUnrecorded', message: `${deleted}, which no RetentionRun announced` };
  }
}

const numberForm = /^[1-9]\d{0,18}$/;
const hashForm = /^[0-9a-f]{64}$/;

/** None in a text that is no canonical JSON. */
function segmentsOf(payloadText: string): readonly StreamHead[] {
  const payload = parseCanonicalJson(payloadText);
  const segments = isJsonObject(payload) ? payload['segments'] : undefined;
  return Array.isArray(segments) ? segments.flatMap(segmentOf) : [];
}

function segmentOf(value: Json): readonly StreamHead[] {
  if (!isJsonObject(value)) return [];
  const { stream, last, hash } = value;
  if (typeof stream !== 'string' || typeof last !== 'string' || typeof hash !== 'string') return [];
  return numberForm.test(last) && hashForm.test(hash) ? [{ stream, seq: BigInt(last), hash }] : [];
}
