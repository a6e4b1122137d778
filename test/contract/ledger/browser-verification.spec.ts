import { describe, expect, it } from '@jest/globals';
import {
  adminStream,
  type ChainedEntry,
  chainEntries,
  checkpointBodyText,
  exportedEntry,
  exportedHead,
  generateSigningKey,
  genesisHash,
  hexOf,
  merkleLeaf,
  MerkleRoot,
  parseSigningKey,
  publicKeyPem,
  sha256Bytes,
  sha256Hex,
  signNote,
  type StreamHead,
} from '#ledger';
import { type ExportFilter, parsePublicKey } from '#ledger/verification';
import { LedgerFaultFound } from '../../../apps/console/src/pages/audit/ledger-fault.ts';
import { LedgerVerification } from '../../../apps/console/src/pages/audit/ledger-verification.ts';
import { aDecisionDraft, anEventDraft, timeAfter } from '../../support/ledger-builders.ts';

const everything: ExportFilter = { from: null, until: null, namespaces: null, policies: null, kinds: null };
const key = parseSigningKey(generateSigningKey());
const publicKey = parsePublicKey(publicKeyPem(key.publicKey));

const chained = chainEntries({
  cluster: 'production',
  heads: new Map(),
  drafts: [
    {
      stream: adminStream,
      kind: 'OperatorAction',
      time: timeAfter(0),
      payload: { actor: 'ann', action: 'syncNow', outcome: 'Accepted', reason: null, arguments: {} },
    },
    aDecisionDraft({ time: timeAfter(0) }),
    anEventDraft({}, timeAfter(1)),
    anEventDraft({}, timeAfter(2)),
  ],
});
if (!chained.ok) throw new Error(chained.error.message);
const { entries } = chained.value;
const heads = [...chained.value.heads.values()].toSorted((one, other) =>
  one.stream < other.stream ? -1 : 1,
);
/** The last entry came after the checkpoint. */
const sealed = heads.map((head): StreamHead => {
  const last = entries.findLast(
    ({ stream, seq }) => stream === head.stream && (seq < 3n || stream === adminStream),
  );
  return { stream: head.stream, seq: last?.seq ?? 0n, hash: last?.hash ?? '' };
});

const entryLine = (entry: ChainedEntry, content: 'Payload' | 'Header' = 'Payload'): string =>
  `{"entry":${exportedEntry(entry, content, sha256Hex)}}`;

const noteLine = (): string => {
  const tree = new MerkleRoot(sha256Bytes);
  for (const head of sealed) tree.add(merkleLeaf(exportedHead(head), sha256Bytes));
  const origin = `plimsoll/production/${'a'.repeat(32)}`;
  const counts = { streams: 2n, entries: 3n, root: hexOf(tree.root) };
  const body = { origin, number: 1n, previous: genesisHash, ...counts, time: timeAfter(3) };
  return `{"note":${JSON.stringify(signNote(checkpointBodyText(body), origin, key))}}`;
};

const answer: readonly string[] = [
  `{"madeAt":"${timeAfter(4)}"}`,
  ...heads.map((head) => `{"head":${exportedHead(head)}}`),
  ...sealed.map((head) => `{"sealed":${exportedHead(head)}}`),
  noteLine(),
  ...entries.map((entry) => entryLine(entry)),
  '{"retention":[]}',
  '{"end":true}',
];

/** The verification that has taken the lines, and what it ends with. */
function verified(lines: readonly string[], filter = everything, by = publicKey) {
  const run = new LedgerVerification(filter, by);
  for (const line of lines) run.take(line);
  return { checkpoint: run.finish(), counts: run.counts };
}

function faultOf(lines: readonly string[]): object | undefined {
  try {
    verified(lines);
    return undefined;
  } catch (error) {
    if (error instanceof LedgerFaultFound) return error.fault;
    throw error;
  }
}

const changed = (from: RegExp, to: string): readonly string[] => answer.map((line) => line.replace(from, to));
const without = (part: string): readonly string[] => answer.filter((line) => !line.includes(part));

describe('a ledger that is verified in the browser', () => {
  it('is sound, and sealed but for its tail', () => {
    expect(verified(answer)).toEqual({
      checkpoint: {
        number: '1',
        time: timeAfter(3),
        origin: `plimsoll/production/${'a'.repeat(32)}`,
        isSigned: true,
      },
      counts: { streams: 2, expected: 4, entries: 4, headers: 0, unsealed: 1, expired: 0 },
    });
    expect(verified(answer, everything, null).checkpoint?.isSigned).toBeNull();
  });

  it('is verified by headers where contents were not asked for', () => {
    const lines = answer.map((line, index) => {
      const entry = entries[index - answer.findIndex((each) => each.startsWith('{"entry"'))];
      return entry === undefined ? line : entryLine(entry, 'Header');
    });
    expect(verified(lines, { ...everything, from: timeAfter(60) }).counts).toMatchObject({ headers: 4 });
    expect(faultOf(lines)).toMatchObject({ code: 'ContentMissing' });
    const silent = lines.filter((line) => !line.startsWith('{"retention"'));
    expect(faultOf(silent)).toMatchObject({ code: 'ContentMissing' });
    expect(faultOf(['{"retention":[]}', ...silent])).toMatchObject({ code: 'ContentMissing' });
  });

  it.each([
    {
      name: 'an edited entry',
      given: changed(/"actor":"ann"/, '"actor":"bob"'),
      code: 'WrongHash',
      entry: 'admin#1',
    },
    {
      name: 'an entry that is left out',
      given: answer.filter((line) => !(line.startsWith('{"entry"') && line.includes('"seq":"2"'))),
      code: 'WrongSequence',
      entry: 'policy:shop/checkout#2',
    },
    {
      name: 'a tail that is cut off',
      given: answer.filter((line) => !(line.startsWith('{"entry"') && line.includes('"seq":"3"'))),
      code: 'Truncated',
      entry: 'policy:shop/checkout#3',
    },
    {
      name: 'a stream that is left out',
      given: without('"stream":"policy:shop/checkout"').concat([]),
      code: 'WrongRoot',
      entry: null,
    },
    {
      name: 'a checkpoint of other heads',
      given: changed(/(\{"sealed":.*"seq":)"2"/, '$1"1"'),
      code: 'WrongRoot',
      entry: null,
    },
    {
      name: 'a checkpoint whose time was changed',
      given: changed(/time 2026-11-20T12:00:03/, 'time 2026-11-20T12:00:09'),
      code: 'WrongSignature',
      entry: null,
    },
    { name: 'an answer without its end', given: answer.slice(0, -1), code: 'CutOff', entry: null },
    {
      name: 'an entry after the last',
      given: answer.with(-1, answer.at(-3) ?? ''),
      code: 'NotTheHead',
      entry: null,
    },
    {
      name: 'a line that is none',
      given: [...answer.slice(0, 2), '<html>'],
      code: 'Unreadable',
      entry: null,
    },
    { name: 'a note that is none', given: ['{"note":{]}'], code: 'Unreadable', entry: null },
  ])('finds $name', ({ given, code, entry }) => {
    expect(faultOf(given)).toMatchObject({ code, entry });
  });
});
