import {
  type ChainEnd,
  type ChainFault,
  type CheckpointNote,
  emptyEnd,
  entrySelector,
  type ExportFilter,
  isGenuineNote,
  type KeyRotationBody,
  merkleLeaf,
  MerkleRoot,
  parseCanonicalJson,
  parseCheckpointNote,
  parseExportedEntry,
  parseExportedHead,
  parseExportedSegment,
  parseKeyRotationNote,
  pureSha256,
  pureSha256Hex,
  RecordedSegments,
  type SegmentFault,
  type SignedNote,
  type StreamHead,
  timeNanoseconds,
  type UnverifiedEntry,
  verifyEnd,
  verifyNext,
} from '#ledger/verification';
import {
  type LedgerCounts,
  type LedgerFault,
  LedgerFaultFound,
  type VerifiedCheckpoint,
} from './ledger-fault.ts';

const lineForm = /^\{"(madeAt|head|sealed|rotation|note|entry|retention|end)":(.*)\}$/;

interface Missing {
  readonly entry: string;
  readonly kind: string;
  readonly content: 'Payload' | 'Observation';
  readonly time: bigint;
}

/**
 * Verifies the answer of an export, line by line: each entry follows from the one before it, up to the heads, and the
 * checkpoint covers what it says. It trusts nothing but the key.
 */
export class LedgerVerification {
  /** By the member that a line has. */
  readonly #takers: Readonly<Record<string, (json: string) => void>> = {
    madeAt: () => undefined,
    head: (json) => this.#takeHead(json),
    sealed: (json) => this.#takeSealed(json),
    rotation: (json) => this.#takeRotation(json),
    note: (json) => this.#takeNote(json),
    entry: (json) => this.#takeEntry(json),
    retention: (json) => {
      this.#retention = rulesOf(json);
    },
    end: () => {
      this.#isEnded = true;
    },
  };
  readonly #key: Uint8Array | null;
  readonly #selects: (entry: UnverifiedEntry) => boolean;
  readonly #recorded: RecordedSegments;
  readonly #heads: StreamHead[] = [];
  readonly #sealed = new Map<string, StreamHead>();
  readonly #tree = new MerkleRoot(pureSha256);
  readonly #rotations: SignedNote<KeyRotationBody>[] = [];
  #note: CheckpointNote | null = null;
  /** The place of the stream that entries are of. */
  #current = -1;
  #end: ChainEnd = emptyEnd('');
  #isEnded = false;
  /** What retention has deleted; none before the answer says so. */
  #retention: readonly RetentionRule[] = [];
  /** Of each kind, the last entry without its contents: retention has to account for it. */
  readonly #missing = new Map<string, Missing>();
  #counts = { entries: 0, headers: 0, unsealed: 0, expired: 0 };
  #expected = 0n;

  constructor(filter: ExportFilter, key: Uint8Array | null) {
    this.#key = key;
    this.#selects = entrySelector(filter);
    this.#recorded = new RecordedSegments(filter);
  }

  get counts(): LedgerCounts {
    return { streams: this.#heads.length, expected: Number(this.#expected), ...this.#counts };
  }

  /** @throws LedgerFaultFound */
  take(line: string): void {
    const [, member = '', json = ''] = lineForm.exec(line) ?? [];
    const take = this.#takers[member];
    if (take === undefined) throw this.#fault('Unreadable', 'a line is not of an export');
    take(json);
  }

  /** After the last line. @throws LedgerFaultFound */
  finish(): VerifiedCheckpoint | null {
    if (!this.#isEnded) throw faultOf('CutOff', null, 'the answer was cut off: what it has verifies');
    while (this.#current < this.#heads.length) this.#turn();
    this.#requireExpired();
    const note = this.#note;
    if (note === null) return null;
    const missing = [...this.#sealed.keys()][0];
    if (missing !== undefined)
      throw faultOf('Truncated', `${missing}#1`, 'the checkpoint covers this stream, which is missing');
    const { number, time, origin } = note.body;
    const isSigned = this.#key === null ? null : isGenuineNote(note, this.#key, this.#rotations);
    if (isSigned === false)
      throw faultOf('WrongSignature', null, `checkpoint ${number} is not signed with the key`);
    return { number: String(number), time, origin, isSigned };
  }

  #takeHead(json: string): void {
    const head = parseExportedHead(json);
    const before = this.#heads.at(-1);
    if (head === null || (before !== undefined && !isAfter(head.stream, before.stream)))
      throw this.#fault('Unreadable', 'a head is none, or out of order');
    this.#heads.push(head);
    this.#expected += head.seq;
  }

  #takeSealed(json: string): void {
    const head = parseExportedHead(json);
    if (head === null) throw this.#fault('Unreadable', 'what the checkpoint covers is no head');
    this.#tree.add(merkleLeaf(json, pureSha256));
    this.#sealed.set(head.stream, head);
  }

  #takeRotation(json: string): void {
    const rotation = parseKeyRotationNote(textOf(json));
    if (rotation === null) throw this.#fault('Unreadable', 'a rotation of keys is none');
    this.#rotations.push(rotation);
  }

  #takeNote(json: string): void {
    const note = parseCheckpointNote(textOf(json));
    if (note === null) throw this.#fault('Unreadable', 'the checkpoint is none');
    const root = [...this.#tree.root].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const { streams, entries, root: stated } = note.body;
    const covered = [...this.#sealed.values()].reduce((sum, { seq }) => sum + seq, 0n);
    if (BigInt(this.#tree.size) !== streams || covered !== entries || root !== stated) {
      const given = `${this.#tree.size} streams, ${covered} entries and the root ${root}`;
      const message = `the heads give ${given}; the checkpoint has ${streams}, ${entries} and ${stated}`;
      throw faultOf('WrongRoot', null, message);
    }
    this.#note = note;
  }

  #takeEntry(json: string): void {
    if (this.#current === -1 || this.#end.seq >= this.#head.seq) this.#turn();
    if (this.#current === this.#heads.length)
      throw faultOf('NotTheHead', null, 'an entry after those of the last stream');
    const entry = parseExportedEntry(json);
    if (entry === null) {
      this.#takeSegment(json);
      return;
    }
    const next = verifyNext(this.#end, entry, pureSha256Hex);
    if (!next.ok) throw chainFault(next.error);
    this.#end = next.value;
    this.#checkSeal();
    this.#checkContent(entry);
    this.#counts.entries += 1;
    this.#recorded.look(entry);
  }

  /** A line that is no entry may stand for those that have been deleted: as the first of its stream. */
  #takeSegment(json: string): void {
    const segment = parseExportedSegment(json);
    const isBeginning =
      segment?.stream === this.#head.stream && this.#end.seq === 0n && segment.seq < this.#head.seq;
    if (segment === null || !isBeginning) throw this.#fault('Unreadable', 'a line is no entry');
    if (segment.seq >= (this.#sealed.get(segment.stream)?.seq ?? 0n)) {
      const message = `entries up to number ${segment.seq} are deleted, which no checkpoint covers`;
      throw this.#fault('SegmentUnsealed', message);
    }
    this.#requireRecorded(this.#recorded.begin(segment));
    this.#end = { ...segment, format: 1 };
    this.#counts.expired += Number(segment.seq);
  }

  /** Ends the stream, and begins the next. */
  #turn(): void {
    const ended = this.#heads[this.#current];
    if (ended !== undefined) {
      const result = verifyEnd(this.#end, ended);
      if (!result.ok) throw chainFault(result.error);
      this.#requireRecorded(this.#recorded.end(ended.stream));
      this.#sealed.delete(ended.stream);
    }
    this.#current += 1;
    const next = this.#heads[this.#current];
    this.#end = emptyEnd(next?.stream ?? '');
    const sealed = next === undefined ? undefined : this.#sealed.get(next.stream);
    if (next === undefined || sealed === undefined || sealed.seq <= next.seq) return;
    const message = `the checkpoint covers ${sealed.seq} entries, the head is number ${next.seq}`;
    throw faultOf('Truncated', `${next.stream}#${next.seq + 1n}`, message);
  }

  get #head(): StreamHead {
    const head = this.#heads[this.#current];
    if (head === undefined) throw faultOf('NotTheHead', null, 'an entry after those of the last stream');
    return head;
  }

  #checkSeal(): void {
    const { stream, seq, hash } = this.#end;
    const sealed = this.#sealed.get(stream);
    if (sealed === undefined || seq > sealed.seq) this.#counts.unsealed += 1;
    else if (seq === sealed.seq && hash !== sealed.hash)
      throw faultOf('WrongSeal', `${stream}#${seq}`, `the checkpoint covers another entry, ${sealed.hash}`);
  }

  #checkContent(entry: UnverifiedEntry): void {
    if ('payloadText' in entry) return;
    this.#counts.headers += 1;
    if (!this.#selects(entry)) return;
    const content = 'hashedPayload' in entry ? 'Observation' : 'Payload';
    const time = timeNanoseconds(entry.time) ?? 0n;
    const key = `${entry.kind} ${content}`;
    const before = this.#missing.get(key);
    if (before !== undefined && before.time >= time) return;
    this.#missing.set(key, { entry: `${entry.stream}#${entry.seq}`, kind: entry.kind, content, time });
  }

  /** What is missing has to be what retention has deleted, wherever the answer says so. */
  #requireExpired(): void {
    for (const { entry, kind, content, time } of this.#missing.values()) {
      const isExpired = this.#retention.some(
        (rule) =>
          rule.kind === kind &&
          (rule.content === 'Payload' || content === 'Observation') &&
          time < (timeNanoseconds(rule.before) ?? 0n),
      );
      if (!isExpired)
        throw faultOf('ContentMissing', entry, 'its contents are missing, which retention has not deleted');
    }
  }

  #requireRecorded(fault: SegmentFault | null): void {
    if (fault !== null) throw this.#fault(fault.code, fault.message);
  }

  /** At the entry that is expected next. */
  #fault(code: LedgerFault['code'], message: string): LedgerFaultFound {
    const { stream, seq } = this.#end;
    return faultOf(code, stream === '' ? null : `${stream}#${seq + 1n}`, message);
  }
}

function faultOf(code: LedgerFault['code'], entry: string | null, message: string): LedgerFaultFound {
  return new LedgerFaultFound({ code, entry, message });
}

function chainFault({ code, stream, seq, message }: ChainFault): LedgerFaultFound {
  return faultOf(code, `${stream}#${seq}`, message);
}

interface RetentionRule {
  readonly kind: string;
  readonly content: string;
  readonly before: string;
}

/** None in a text that is no list of rules. */
function rulesOf(json: string): readonly RetentionRule[] {
  const rules = parseCanonicalJson(json);
  return Array.isArray(rules) ? (rules as readonly RetentionRule[]) : [];
}

function textOf(json: string): string {
  const text = parseCanonicalJson(json);
  return typeof text === 'string' ? text : '';
}

const utf8 = new TextEncoder();

/** In the order of their UTF-8 bytes. */
function isAfter(name: string, other: string): boolean {
  const [bytes, others] = [utf8.encode(name), utf8.encode(other)];
  const place = bytes.findIndex((byte, index) => byte !== others[index]);
  return place !== -1 && (bytes[place] ?? 0) > (others[place] ?? -1);
}
