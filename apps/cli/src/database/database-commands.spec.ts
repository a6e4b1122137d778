import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLedgerDatabase } from '#adapter-sql';
import { takeFence } from '#ledger/testing';
import { type FileTree, makeTree, runCli } from '../testing/run-cli.fixture.ts';

let tree: FileTree;

beforeAll(async () => {
  tree = makeTree({ secret: 'pass' });
  const database = await openLedgerDatabase({ url: `sqlite:${join(tree.folder, 'ledger.db')}` });
  await takeFence(database.fences);
  await database.close();
});

afterAll(() => tree.remove());

describe('plimsoll backup and restore', () => {
  it('write a file, and make a database of it', () => {
    const saved = runCli(tree.folder, [
      'backup',
      '--database',
      'sqlite:ledger.db',
      '--output',
      'ledger.backup',
    ]);
    expect(saved).toMatchObject({ status: 0, stdout: '', stderr: 'plimsoll: 2 rows in ledger.backup\n' });
    const restored = runCli(tree.folder, ['restore', 'ledger.backup', '--database', 'sqlite:restored.db']);
    expect(restored).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^plimsoll: restored as of 20/),
    });
    expect(existsSync(join(tree.folder, 'restored.db'))).toBe(true);
    expect(readdirSync(tree.folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it.each([
    {
      name: 'a file that is there',
      args: ['backup', '--database', 'sqlite:ledger.db', '--output', 'secret'],
      want: 'secret is there already; name a new file',
    },
    {
      name: 'a database that is not there',
      args: ['backup', '--database', 'sqlite:none.db', '--output', 'other'],
      want: 'there is no file none.db',
    },
    {
      name: 'a URL of something else',
      args: ['backup', '--database', 'mysql://db/plimsoll', '--output', 'other'],
      want: 'the database URL must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    },
    {
      name: 'a server that is not there',
      args: [
        'migrate',
        'status',
        '--database',
        'postgres://me@127.0.0.1:1/plimsoll',
        '--password-file',
        'secret',
      ],
      want: expect.stringContaining('ECONNREFUSED'),
    },
    {
      name: 'a password for a file',
      args: ['migrate', 'up', '--database', 'sqlite:ledger.db', '--password-file', 'secret'],
      want: '--password-file is for a postgres:// URL',
    },
    {
      name: 'a database with something in it',
      args: ['restore', 'secret', '--database', 'sqlite:ledger.db'],
      want: expect.stringContaining('the backup is truncated, or none'),
    },
    {
      name: 'a backup that is not there',
      args: ['restore', 'none', '--database', 'sqlite:new.db'],
      want: 'no such file or folder: none',
    },
    {
      name: 'no number of steps',
      args: ['migrate', 'down', '--database', 'sqlite:ledger.db', '--steps', '0'],
      want: '--steps is 0, allowed are 1 to 100',
    },
  ])('refuse $name with status 2', ({ args, want }) => {
    const { status, stdout, stderr } = runCli(tree.folder, args);
    expect({ status, stdout, said: stderr.replace(/^plimsoll: |\n$/g, '') }).toEqual({
      status: 2,
      stdout: '',
      said: want,
    });
    for (const file of ['other', 'new.db']) expect(existsSync(join(tree.folder, file))).toBe(false);
  });
});

describe('plimsoll migrate', () => {
  const database = ['--database', 'sqlite:ledger.db'];

  it('says what there is, rehearses, undoes and runs', () => {
    const states = (): { readonly status: number | null; readonly last: string | undefined } => {
      const { status, stdout } = runCli(tree.folder, ['migrate', 'status', ...database]);
      return { status, last: stdout.trim().split('\n').at(-1) };
    };
    const before = states();
    expect(before).toEqual({ status: 0, last: expect.stringMatching(/^\w+\d{13} {2}applied$/) });
    const rehearsed = runCli(tree.folder, ['migrate', 'down', '--dry-run', ...database]);
    expect(rehearsed).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^undo \w+\n$/),
      stderr: 'plimsoll: one migration would be undone; nothing was changed\n',
    });
    expect(states()).toEqual(before);
    expect(runCli(tree.folder, ['migrate', 'down', ...database])).toMatchObject({
      status: 0,
      stderr: 'plimsoll: one migration undone\n',
    });
    expect(states()).toMatchObject({ status: 1, last: expect.stringContaining('  pending') });
    expect(runCli(tree.folder, ['migrate', 'up', ...database])).toMatchObject({
      status: 0,
      stderr: 'plimsoll: one migration run\n',
    });
    expect(runCli(tree.folder, ['migrate', 'up', ...database]).stderr).toBe('plimsoll: nothing to do\n');
  }, 60_000);

  it('names who has the file', async () => {
    const held = await openLedgerDatabase({ url: `sqlite:${join(tree.folder, 'ledger.db')}` });
    const refused = runCli(tree.folder, ['migrate', 'up', ...database]);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('is in use by process') });
    await held.close();
  });

  it('says that a file is no database, and what to do', () => {
    writeFileSync(join(tree.folder, 'broken.db'), 'x'.repeat(10_000));
    for (const command of ['status', 'up']) {
      const { status, stderr } = runCli(tree.folder, ['migrate', command, '--database', 'sqlite:broken.db']);
      expect(status).toBe(2);
      expect(stderr).toContain('broken.db is corrupt (SQLITE_NOTADB');
      expect(stderr).toContain('restore a backup');
    }
  });
});
