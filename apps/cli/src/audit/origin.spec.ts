import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openLedgerDatabase } from '#adapter-sql';
import {
  administrationScope,
  adminStream,
  type LedgerGapPayload,
  LedgerWriter,
  parseCheckpointNote,
  parseSigningKey,
  signNote,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import { sealLedger } from '../../../../test/support/audited-ledger.ts';
import { appended, timeAfter } from '../../../../test/support/ledger-builders.ts';
import { type AuditTree, makeAuditTree, verify } from '../testing/audit.fixture.ts';
import { aTerminal, runCli } from '../testing/run-cli.fixture.ts';
import type { ExportArguments } from './export-ledger.ts';
import { RecordedNotes } from './judge-origin.ts';
import { makeNewKey } from './new-key.ts';
import { verifyExport } from './verify-export.ts';
import { readWitness, type Witnesses } from './witness.ts';

let audit: AuditTree;
const at = (name: string): string => audit.at(name);
const anExport: AuditTree['anExport'] = (...options) => audit.anExport(...options);

beforeAll(async () => {
  audit = await makeAuditTree();
});

afterAll(() => {
  audit.remove();
});

describe('plimsoll audit verify, against what was obtained elsewhere', () => {
  let sealed = '';
  let notes = '';

  beforeAll(async () => {
    copyFileSync(at('ledger.db'), at('sealed.db'));
    notes = at('notes');
    await sealLedger(`sqlite:${at('sealed.db')}`, at('sealed-data'), notes);
    sealed = await anExport({ database: `sqlite:${at('sealed.db')}` });
  });

  const key = (): string => join(at('sealed-data'), 'checkpoint-key.pub');
  const notesOf = (): readonly string[] => readFileSync(notes, 'utf8').trim().split('\n\nplimsoll/');
  const aNote = (name: string, text: string): string => {
    writeFileSync(at(name), text);
    return at(name);
  };
  const earlier = (): string => aNote('earlier', `${notesOf()[0]}\n`);
  /** A checkpoint of the ledger that its own key has signed, and that the ledger does not have. */
  const signed = (change: (body: string) => string): string => {
    const { bodyText, body } = parseCheckpointNote(readFileSync(join(sealed, 'checkpoint.note'), 'utf8'))!;
    const signingKey = parseSigningKey(readFileSync(join(at('sealed-data'), 'key.pem'), 'utf8'));
    return aNote('signed', signNote(change(bodyText), body.origin, signingKey));
  };

  const textOf = async (folder: string, witness: { readonly key?: string }): Promise<string> => {
    const output = new PassThrough();
    await verifyExport(folder, { ...witness, format: 'text' }, { ...aTerminal(), output });
    return String(output.read());
  };

  it('says that an export without a checkpoint is proven by none, also with the key', async () => {
    const unsealed = await anExport({});
    expect(await textOf(unsealed, { key: key() })).toContain('only a checkpoint proves it');
    expect(await textOf(sealed, {})).toContain('give the public key (--key)');
  });

  it('says where it has no entries at all', async () => {
    await cp(sealed, at('without-entries'), { recursive: true });
    rmSync(join(at('without-entries'), 'entries-000001.ndjson'));
    expect(await textOf(at('without-entries'), {})).toContain('Truncated, no file of entries was found');
  });

  it('says that the database was changed where what is sealed there is not what the checkpoint covers', async () => {
    copyFileSync(at('sealed.db'), at('unsealed.db'));
    const changed = new Database(at('unsealed.db'));
    changed.exec("DELETE FROM sealed_head WHERE stream = 'sync'");
    changed.close();
    await expect(anExport({ database: `sqlite:${at('unsealed.db')}` })).rejects.toMatchObject({
      status: 1,
      message: expect.stringContaining(
        'does not fit the heads that it covers, also some seconds later: the database was changed by another',
      ),
    });
  }, 30_000);

  it('says which checkpoint seals it, and how much is unsealed', async () => {
    expect(await verify(sealed, { key: key() })).toMatchObject({
      status: 0,
      report: { status: 'Proven', checkpoint: { number: '3', time: timeAfter(602) }, unsealed: 10 },
    });
  });

  it('is proven by the last of the checkpoints in a file, and only consistent by an earlier one', async () => {
    expect(await verify(sealed, { checkpoint: notes })).toMatchObject({ status: 0 });
    expect(await verify(sealed, { checkpoint: earlier() })).toMatchObject({ status: 3 });
    expect(await verify(sealed, { checkpoint: earlier(), key: key() })).toMatchObject({ status: 0 });
  });

  it.each([
    { name: 'the last checkpoint', number: '3' },
    { name: 'an earlier checkpoint', number: '1' },
  ])('finds that $name contradicts another of its number, and shows both', async ({ number }) => {
    const checkpoint = signed((body) =>
      body
        .replace(/^checkpoint .*$/m, `checkpoint ${number}`)
        .replace(/^root .*$/m, `root ${'a'.repeat(64)}`),
    );
    const { status, report } = await verify(sealed, { checkpoint, key: key() });
    expect(status).toBe(1);
    expect(report.fault).toMatchObject({ code: 'Equivocation' });
    expect(JSON.stringify(report.fault).match(new RegExp(`checkpoint ${number}`, 'g'))).toHaveLength(2);
  });

  it('finds that a checkpoint is missing that was signed before the export was made', async () => {
    const later = signed((body) =>
      body.replace('checkpoint 3', 'checkpoint 4').replace(/^time .*$/m, `time ${timeAfter(9)}`),
    );
    expect(await verify(sealed, { checkpoint: later })).toMatchObject({
      status: 1,
      report: { fault: { code: 'CheckpointMissing' } },
    });
    const afterwards = signed((body) =>
      body.replace('checkpoint 3', 'checkpoint 4').replace(/^time .*$/m, 'time 2190-01-01T00:00:00Z'),
    );
    expect(await verify(sealed, { checkpoint: afterwards, key: key() })).toMatchObject({ status: 0 });
  });

  it.each<{ name: string; given: Partial<ExportArguments>; want: readonly string[] }>([
    {
      name: 'a namespace, by what comes before and after it',
      given: { namespace: ['shop'] },
      want: [
        'admin',
        'policy:billing/a-rather-long-name',
        'policy:shop/cart',
        'policy:shop/checkout',
        'policy:shop/upgraded',
        'sync',
      ],
    },
    {
      name: 'a policy, by what would be beside a stream of late entries',
      given: { policy: ['shop/cart'] },
      want: ['admin', 'policy:billing/a-rather-long-name', 'policy:shop/cart'],
    },
    {
      name: 'a policy that is not there, by what would be beside it',
      given: { policy: ['shop/cash'] },
      want: ['admin', 'policy:billing/a-rather-long-name', 'policy:shop/cart', 'policy:shop/checkout'],
    },
    {
      name: 'a namespace that would come last',
      given: { namespace: ['zoo'] },
      want: ['admin', 'policy:billing/a-rather-long-name', 'policy:shop/upgraded', 'sync'],
    },
  ])('proves that no selected stream is left out of $name', async ({ given, want }) => {
    const folder = await anExport({ database: `sqlite:${at('sealed.db')}`, ...given });
    const file = join(folder, 'sealed.ndjson');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { stream: string }).stream)).toEqual(want);
    expect(await verify(folder, { key: key() })).toMatchObject({ status: 0 });
    for (const [index] of lines.entries()) {
      writeFileSync(file, `${lines.toSpliced(index, 1).join('\n')}\n`);
      expect(await verify(folder, { key: key() })).toMatchObject({
        status: 1,
        report: { fault: { code: 'SealIncomplete', stream: null } },
      });
    }
  });

  it('finds a forged checkpoint', async () => {
    const forged = at('forged');
    await cp(sealed, forged, { recursive: true });
    const file = join(forged, 'checkpoint.note');
    writeFileSync(file, readFileSync(file, 'utf8').replace('checkpoint 3', 'checkpoint 4'));
    expect(await verify(forged, { key: key() })).toMatchObject({
      status: 1,
      report: { fault: { code: 'WrongSignature' } },
    });
  });

  it('finds a checkpoint of other counts, and names them', async () => {
    const forged = at('miscounted');
    await cp(sealed, forged, { recursive: true });
    const file = join(forged, 'checkpoint.note');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^entries .*$/m, 'entries 999'));
    expect(await verify(forged)).toMatchObject({
      status: 1,
      report: {
        fault: {
          code: 'WrongRoot',
          message: expect.stringMatching(
            /^the heads give 6 streams, \d+ entries and .*; the checkpoint has 6, 999 and /,
          ),
        },
      },
    });
  });

  it('reads no more of a checkpoint than one may have', async () => {
    const padded = at('padded');
    await cp(sealed, padded, { recursive: true });
    // More than a text may have; the file has holes.
    truncateSync(join(padded, 'checkpoint.note'), 1024 ** 3);
    expect(await verify(padded)).toMatchObject({
      status: 1,
      report: { fault: { code: 'UnreadableCheckpoint' } },
    });
  });

  it.each(['null', '{"number":', '[]'])(
    'takes no note from a checkpoint whose payload is %s',
    async (payloadText) => {
      const recorded = new RecordedNotes(await readWitness({ checkpoint: notes }));
      recorded.look({
        stream: adminStream,
        seq: 1n,
        kind: 'Checkpoint',
        format: 2,
        cluster: 'test',
        time: timeAfter(0),
        previousHash: '0'.repeat(64),
        hash: '0'.repeat(64),
        payloadText,
      });
      expect(recorded.contradiction).toBeNull();
    },
  );

  it('reads all checkpoints of a file, and passes over what an interrupted write has left', async () => {
    const [first = '', ...others] = notesOf().map((text, at) => `${at === 0 ? '' : 'plimsoll/'}${text}\n`);
    const cutOff = aNote('cut-off', [first, first.slice(0, 100), first, ...others].join('\n'));
    expect(await verify(sealed, { checkpoint: cutOff })).toMatchObject({ status: 0 });
    const contradictory = signed((body) =>
      body.replace(/^checkpoint .*$/m, 'checkpoint 2').replace(/^root .*$/m, `root ${'a'.repeat(64)}`),
    );
    const other = readFileSync(contradictory, 'utf8');
    const [, second = '', third = ''] = [first, ...others];
    const replaced = aNote('replaced', [first, other, third].join('\n'));
    for (const checkpoint of [replaced, aNote('both', [first, second, other, third].join('\n'))]) {
      const { status, report } = await verify(sealed, { checkpoint });
      expect(status).toBe(1);
      expect(report.fault).toMatchObject({ code: 'Equivocation' });
      for (const text of [second, other])
        expect(JSON.stringify(report.fault)).toContain(JSON.stringify(text).slice(1, -1));
    }
  });

  it('is proven by the key that the one that signs follows, but by no key that was lost', async () => {
    copyFileSync(at('sealed.db'), at('rotated.db'));
    await cp(at('sealed-data'), at('rotated-data'), { recursive: true });
    const first = readFileSync(key(), 'utf8');
    await changeKey('rotated', 'rotation');
    const rotated = await anExport({ database: `sqlite:${at('rotated.db')}` });
    const ofSome = await anExport({ database: `sqlite:${at('rotated.db')}`, namespace: ['shop'] });
    const old = aNote('old.pub', first);
    const present = join(at('rotated-data'), 'checkpoint-key.pub');
    for (const folder of [rotated, ofSome]) {
      for (const each of [old, present])
        expect(await verify(folder, { key: each })).toMatchObject({ status: 0 });
    }
    const earlier = await verify(sealed, { key: present });
    expect(earlier).toMatchObject({
      report: {
        fault: { message: expect.stringContaining('; an export from before a change of the key wants') },
      },
    });
    rmSync(join(rotated, 'rotations.ndjson'));
    expect(await verify(rotated, { key: old })).toMatchObject({
      status: 1,
      report: { fault: { code: 'WrongSignature' } },
    });
    await changeKey('rotated', 'loss');
    const lost = await anExport({ database: `sqlite:${at('rotated.db')}` });
    expect(await verify(lost, { key: present })).toMatchObject({ status: 0 });
    expect(await verify(lost, { key: old })).toMatchObject({
      status: 1,
      report: {
        fault: {
          code: 'WrongSignature',
          message: expect.stringMatching(
            /its key was lost before checkpoint "7" \(".+": "the disk is gone"\)$/,
          ),
        },
      },
    });
  });

  it('names what the restore of a backup has lost, and finds another note of the end of that', async () => {
    copyFileSync(at('sealed.db'), at('gap.db'));
    const note = readFileSync(
      signed((body) => body.replace('checkpoint 3', 'checkpoint 5')),
      'utf8',
    );
    const gap = { number: '5', note, restored: '3', backup: '2026-11-20\u001b' };
    await appendGap('gap.db', gap);
    const exported = await anExport({ database: `sqlite:${at('gap.db')}` });
    const { number, restored, backup } = gap;
    expect(await verify(exported, { key: key() })).toMatchObject({
      status: 0,
      report: { gaps: [{ number, restored, backup }] },
    });
    const output = new PassThrough();
    await verifyExport(exported, { format: 'text' }, { ...aTerminal(), output });
    expect(String(output.read())).toContain(
      String.raw`  the ledger says that a backup of "2026-11-20\u001b" was restored: after checkpoint "3", those up to "5" are lost`,
    );
    const later = aNote(
      'later.pub',
      generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }),
    );
    expect(await textOf(exported, { key: later })).toContain('where the key was changed after that backup');
    const other = signed((body) =>
      body.replace('checkpoint 3', 'checkpoint 5').replace(/^time .*$/m, 'time 2190-01-01T00:00:00Z'),
    );
    expect(await verify(exported, { checkpoint: other })).toMatchObject({
      status: 1,
      report: { fault: { code: 'Equivocation' } },
    });
  });

  async function appendGap(name: string, payload: LedgerGapPayload): Promise<void> {
    const database = await openLedgerDatabase({ url: `sqlite:${at(name)}` });
    const fence = await takeFence(database.fences, { scope: administrationScope });
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
    const draft = {
      stream: adminStream,
      kind: 'LedgerGap',
      time: timeAfter(700),
      payload: { ...payload },
    } as const;
    appended(await writer.append({ drafts: [draft] }));
    await database.close();
  }

  /** Makes another key as an operator does, and seals the ledger with it. */
  async function changeKey(name: string, how: 'rotation' | 'loss'): Promise<void> {
    const dataFolder = at(`${name}-data`);
    const keyFile = join(dataFolder, 'key.pem');
    if (how === 'loss') rmSync(keyFile);
    const reason = how === 'loss' ? { reason: 'the disk is gone' } : {};
    await makeNewKey({ dataFolder, keyFile, ...reason }, aTerminal());
    await sealLedger(`sqlite:${at(`${name}.db`)}`, dataFolder, at(`${name}-notes`));
  }

  it.each<{ name: string; given: () => Witnesses; want: string }>([
    {
      name: 'a key of another algorithm',
      given: () => {
        const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        return { key: aNote('ec.pub', publicKey.export({ type: 'spki', format: 'pem' })) };
      },
      want: 'checkpoints are signed with Ed25519',
    },
    {
      name: 'an empty key',
      given: () => ({ key: aNote('empty.pub', '\n') }),
      want: 'empty.pub: this is empty; ',
    },
    { name: 'a key that is not there', given: () => ({ key: at('no.pub') }), want: 'no such file' },
    {
      name: 'a file that is no checkpoint',
      given: () => ({ checkpoint: aNote('text', 'text') }),
      want: 'this is no checkpoint',
    },
    {
      name: 'a checkpoint of another ledger',
      given: () => ({
        checkpoint: signed((body) => body.replace(/^plimsoll.*$/m, `plimsoll/test/${'0'.repeat(32)}`)),
      }),
      want: 'the checkpoint is of plimsoll/test/0000',
    },
    {
      name: 'a later checkpoint of another ledger',
      given: () => ({
        checkpoint: signed((body) =>
          body
            .replace(/^plimsoll.*$/m, `plimsoll/test/${'0'.repeat(32)}`)
            .replace('checkpoint 3', 'checkpoint 4')
            .replace(/^time .*$/m, `time ${timeAfter(9)}`),
        ),
      }),
      want: 'the checkpoint is of plimsoll/test/0000',
    },
  ])('refuses $name', async ({ given, want }) => {
    await expect(verify(sealed, given())).rejects.toMatchObject({
      name: 'UnusableError',
      message: expect.stringContaining(want),
    });
  });
});

describe('plimsoll audit key', () => {
  it('prints the public key, and refuses another algorithm', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const text = other.export({ type: 'spki', format: 'pem' });
    for (const [name, content] of [
      ['data', pem],
      ['other', text],
    ] as const) {
      mkdirSync(at(name));
      writeFileSync(join(at(name), 'checkpoint-key.pub'), content);
    }
    const key = (folder: string): ReturnType<typeof runCli> =>
      runCli(audit.folder, ['audit', 'key', '--data-folder', folder]);
    expect(key('data')).toMatchObject({ status: 0, stdout: pem });
    expect(key('other')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('Ed25519') });
    expect(key('none')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /there is no key none\/checkpoint-key.pub: --data-folder names the dataFolder/,
      ),
    });
    writeFileSync(at('own.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const own = runCli(audit.folder, ['audit', 'key', '--key-file', 'own.pem']);
    expect(own).toEqual({ status: 0, stdout: pem, stderr: '' });
    expect(runCli(audit.folder, ['audit', 'key', '--key-file', 'none'])).toMatchObject({
      status: 2,
      stderr: 'plimsoll: there is no key none\n',
    });
  });
});
