import { afterEach, describe, expect, it } from '@jest/globals';
import type { ParsedFile } from '#git-sync';
import { type PolicyFileSource, readPolicyFile } from '#policy';
import { ParserPool, type ParserPoolSettings } from './parser-pool.ts';
import { misbehavingParser } from './testing/index.ts';

const pools: ParserPool[] = [];

/** Real threads, started for files of any size. */
function aPool(settings: Partial<ParserPoolSettings> = {}): ParserPool {
  const pool = new ParserPool({ size: 1, smallBytes: -1, idleMilliseconds: 600_000, ...settings });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

describe('parsing in threads', () => {
  it('gives what parsing here gives, file by file', async () => {
    const pool = aPool({ size: 2 });
    const window = new Uint8Array(4096);
    const bytes = window.subarray(1000, 1000 + policy('c').bytes.length);
    bytes.set(policy('c').bytes);
    const batches = [
      [policy('a'), aFile('b', 'kind: HorizontalPodAutoscaler\na: b: c\n')],
      [{ file: 'c.yaml', bytes, isInForce: true }, aFile('d', 'see autoscaling/v2\n'), policy('e')],
      [policy('f', '  maxReplicas: 123456789012345678901\n  "__proto__": 1\n')],
    ];
    const answers = await Promise.all(batches.map((batch) => pool.parse(batch)));
    expect(answers).toEqual(
      batches.map((batch) => batch.map((source) => ({ kind: 'Parsed', file: readPolicyFile(source) }))),
    );
    expect(window.byteLength).toBe(4096);
  });

  it('parses a small batch where it is, unless a thread runs', async () => {
    const pool = aPool({ smallBytes: 1000 });
    await pool.parse([policy('a')]);
    expect(pool.threads).toBe(0);
    await pool.parse([aFile('b', `# ${'x'.repeat(1000)}\n`)]);
    expect(pool.threads).toBe(1);
  });

  it('starts no more threads than it may, and lets batches wait', async () => {
    const pool = aPool({ size: 2 });
    const names = Array.from({ length: 9 }, (_, index) => `p${index}`);
    const answers = await Promise.all(names.map((name) => pool.parse([policy(name)])));
    expect(answers.map(([answer]) => nameOf(answer))).toEqual(names);
    expect(pool.threads).toBe(2);
  });

  it('ends a thread that has had no work for a while, and starts another when there is some', async () => {
    const pool = aPool({ idleMilliseconds: 1 });
    await pool.parse([policy('a')]);
    await until(() => pool.threads === 0);
    expect(nameOf((await pool.parse([policy('b')]))[0])).toBe('b');
  });

  it.each([
    { name: 'hangs', file: 'hang', reason: 'it took more than 2 s' },
    { name: 'ends its thread', file: 'die', reason: 'its parser ended' },
    { name: 'meets a bug', file: 'throw', reason: 'its parser ended (a bug)' },
  ])(
    'fails only the file that $name',
    async ({ file, reason }) => {
      const pool = aPool({ module: misbehavingParser, timeoutMilliseconds: 2_000 });
      const [bad, good] = await Promise.all([
        pool.parse([policy('a'), policy(file), policy('b')]),
        pool.parse([policy('c')]),
      ]);
      expect(bad.map(nameOf)).toEqual(['a', reason, 'b']);
      expect(good.map(nameOf)).toEqual(['c']);
    },
    60_000,
  );

  it('fails only the file that takes too much memory', async () => {
    const pool = aPool({ memoryMegabytes: 32 });
    const bomb = aFile('bomb', `kind: HorizontalPodAutoscaler\nspec: [${'a,'.repeat(500_000)}]\n`);
    const answers = await pool.parse([policy('a'), bomb, policy('b')]);
    expect(answers.map(nameOf)).toEqual(['a', 'it needs more than 32 MB of memory', 'b']);
  }, 60_000);

  it('does not try for ever where many files of a batch fail', async () => {
    const pool = aPool({ module: misbehavingParser });
    const batch = [policy('a'), ...Array.from({ length: 5 }, () => policy('die'))];
    const answers = await pool.parse(batch);
    const given = '3 files beside it could not be parsed, and it was not tried';
    expect(answers.slice(0, 5).map(nameOf)).toEqual([
      'a',
      'its parser ended',
      'its parser ended',
      'its parser ended',
      given,
    ]);
  }, 60_000);

  it('is closed while it is busy: what is under way and what waits is rejected', async () => {
    const pool = aPool({ module: misbehavingParser });
    const batches = [pool.parse([policy('hang')]), pool.parse([policy('a')])];
    const ended = Promise.allSettled(batches);
    await pool.close();
    const results = await ended;
    expect(results).toMatchObject([
      { status: 'rejected', reason: { code: 'Closed' } },
      { status: 'rejected', reason: { code: 'Closed' } },
    ]);
    await expect(pool.parse([policy('b')])).rejects.toMatchObject({ code: 'Closed' });
    expect(pool.threads).toBe(0);
  });
});

function nameOf(answer: ParsedFile | undefined): string | undefined {
  return answer?.kind === 'Parsed' ? answer.file.documents[0]?.name : answer?.reason;
}

function policy(name: string, spec = '  maxReplicas: 3\n'): PolicyFileSource {
  return aFile(
    name,
    `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: ${name}}\nspec:\n${spec}`,
  );
}

function aFile(name: string, text: string): PolicyFileSource {
  return { file: `${name}.yaml`, bytes: new TextEncoder().encode(text) };
}

/** Real threads take real time. */
async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error('it did not happen within 10 s');
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}
