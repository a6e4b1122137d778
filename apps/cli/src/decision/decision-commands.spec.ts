import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { engineVersion } from '#decision';
import { openExport } from '../audit/export-folder.ts';
import { makeTree } from '../testing/run-cli.fixture.ts';
import { decideLines } from './decide-lines.ts';
import { inColour, plain } from './explain-decision.ts';
import { explainLines } from './explain-lines.ts';
import { parseJsonExactly } from './parse-json-exactly.ts';
import { type Line, readLines } from './read-lines.ts';
import { replayLines } from './replay-lines.ts';

const input = {
  policy: {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 9,
      metrics: [
        {
          type: 'External',
          external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '100m' } },
        },
      ],
    },
  },
  observation: {
    time: '2026-11-20T12:00:00Z',
    scale: { specReplicas: 3, statusReplicas: 3, selector: 'app=web' },
    pods: [{ name: 'a', phase: 'Running' }],
    metrics: [{ values: ['500m'] }],
  },
  memory: {},
};
const good = JSON.stringify(input);

function sink(): { readonly output: Writable; readonly lines: () => readonly string[] } {
  let text = '';
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return { output, lines: () => text.trimEnd().split('\n') };
}

async function run<T>(
  command: (streams: { input: Readable; output: Writable }) => Promise<T>,
  lines: readonly string[],
): Promise<{ status: T; printed: readonly string[] }> {
  const { output, lines: printed } = sink();
  const status = await command({
    input: Readable.from([Buffer.from(lines.map((line) => `${line}\n`).join(''))]),
    output,
  });
  return { status, printed: printed() };
}

function parse(text: string | undefined): Record<string, unknown> {
  return JSON.parse(text ?? '') as Record<string, unknown>;
}

describe('plimsoll decide', () => {
  it('prints one output a line, in order', async () => {
    const { status, printed } = await run(decideLines, [good, good]);
    expect(status).toBe(0);
    expect(printed.map((line) => parse(line)['decision'])).toMatchObject([
      { desiredReplicas: 5, action: 'ScaleUp' },
      { desiredReplicas: 5, action: 'ScaleUp' },
    ]);
  });

  it('prints an error for a bad line, goes on, and ends with 1', async () => {
    const { status, printed } = await run(decideLines, ['', 'x', '[]', '{}', good]);
    expect(status).toBe(1);
    expect(printed.map((line) => parse(line)['error'])).toMatchObject([
      { code: 'InvalidJson', path: '', line: 1 },
      { code: 'InvalidJson', path: '', line: 2 },
      { code: 'InvalidJson', path: '', line: 3 },
      { code: 'InvalidPolicy', path: '/policy', line: 4 },
      undefined,
    ]);
  });

  it('prints in order whatever thread decides, line numbers included', async () => {
    const many = Array.from({ length: 6_000 }, (_, index) => (index % 1_000 === 999 ? 'x' : good));
    const { status, printed } = await run((streams) => decideLines(streams, 2), many);
    expect(status).toBe(1);
    expect(printed).toHaveLength(many.length);
    const bad = printed.map((line) => parse(line)['error']).filter((error) => error !== undefined);
    expect(bad).toMatchObject([1_000, 2_000, 3_000, 4_000, 5_000, 6_000].map((line) => ({ line })));
  });

  it('survives values nested beyond the stack', async () => {
    const deep = `{"policy":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const { status, printed } = await run(decideLines, [deep, good]);
    expect(status).toBe(1);
    expect(parse(printed[0])).toMatchObject({ error: { line: 1 } });
    expect(parse(printed[1])).toHaveProperty('decision');
  });

  it('keeps quantities that float64 cannot hold exact', async () => {
    const exact = good.replace('"500m"', '9007199254740993');
    const { printed } = await run(decideLines, [exact]);
    expect(printed[0]).toContain('3002399751580331');
  });
});

describe('parseJsonExactly', () => {
  it.each([
    { given: '[9007199254740993]', want: ['9007199254740993'] },
    { given: '[9007199254740.993]', want: ['9007199254740.993'] },
    { given: '[9007199254740992]', want: [9007199254740992] },
    { given: '[300.0000000000000000]', want: [300] },
    { given: '{"tolerance":0.10000000000000001}', want: { tolerance: 0.1 } },
    { given: '["9007199254740993",1]', want: ['9007199254740993', 1] },
  ])('reads $given', ({ given, want }) => {
    expect(parseJsonExactly(given)).toEqual(want);
  });
});

describe('readLines', () => {
  async function split(chunks: readonly string[], maxBytes = 100): Promise<readonly Line[]> {
    const lines: Line[] = [];
    const source = Readable.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1')));
    for await (const batch of readLines(source, maxBytes)) lines.push(...batch);
    return lines;
  }

  it('joins what chunks have cut, and takes the last line without an end', async () => {
    expect(await split(['a', 'b\n\nc', '\nd'])).toEqual([
      { number: 1, text: 'ab' },
      { number: 2, text: '' },
      { number: 3, text: 'c' },
      { number: 4, text: 'd' },
    ]);
  });

  it('makes a problem of a line beyond the limit, and reads on', async () => {
    const lines = await split(['123456', '7890', '1\nshort\n'], 10);
    expect(lines).toEqual([
      { number: 1, problem: 'the line has 11 bytes, more than the 10 that are read' },
      { number: 2, text: 'short' },
    ]);
    expect(await split(['1234567890\n'], 10)).toEqual([{ number: 1, text: '1234567890' }]);
  });

  it('makes a problem of bytes that are no UTF-8', async () => {
    expect(await split(['\xff\n'])).toEqual([{ number: 1, problem: 'the line is not UTF-8' }]);
  });
});

describe('plimsoll replay', () => {
  async function record(change: (output: Record<string, unknown>) => void): Promise<string> {
    const { printed } = await run(decideLines, [good]);
    const output = parse(printed[0]);
    change(output);
    const payload = { engineVersion, input, ...output };
    return JSON.stringify({ kind: 'Decision', stream: 'policy/shop/web', seq: '7', payload });
  }

  it('finds a decision that comes out the same, whatever the order of its keys', async () => {
    const { decision } = parse((await run(decideLines, [good])).printed[0]);
    const turned = Object.fromEntries(Object.entries(decision as object).reverse());
    const lines = [
      JSON.stringify({ input, decision: turned }),
      JSON.stringify({ kind: 'SyncRun', payload: {} }),
    ];
    const { status, printed } = await run(replayLines, lines);
    expect(printed).toEqual([
      '1 decision replayed: 1 the same, 0 different, 0 unreadable lines, 1 entry of other kinds',
    ]);
    expect(status).toBe(0);
  });

  it('takes a decision as the REST API has it', async () => {
    const { decision } = parse((await run(decideLines, [good])).printed[0]);
    const beside = { id: 'policy:shop/web#7', commit: null, departures: ['x'], engineVersion };
    const without = { ...(decision as object), ...beside };
    const answer = { ...without, input };
    const different = { ...answer, desiredReplicas: 6 };
    const { status, printed } = await run(replayLines, [JSON.stringify(answer), JSON.stringify(different)]);
    expect(printed).toEqual([
      'line 2 (policy:shop/web#7): 1 difference',
      '  /decision/desiredReplicas: recorded 6, recomputed 5',
      '2 decisions replayed: 1 the same, 1 different, 0 unreadable lines, 0 entries of other kinds',
    ]);
    expect(status).toBe(1);
    expect((await run(replayLines, [JSON.stringify(without)])).printed[0]).toBe(
      'line 1: the line has no recorded input and decision; "plimsoll audit export" writes them, and /api/v1/decisions/ID of the REST API has one',
    );
  });

  it('names the path of every difference, and ends with 1', async () => {
    const line = await record((output) => {
      (output['decision'] as Record<string, unknown>)['desiredReplicas'] = 6;
      (output['memory'] as Record<string, unknown>)['lastScaleTime'] = null;
    });
    const { status, printed } = await run(replayLines, [line]);
    expect(printed).toEqual([
      'line 1 (policy/shop/web#7): 2 differences',
      '  /decision/desiredReplicas: recorded 6, recomputed 5',
      '  /memory/lastScaleTime: recorded null, recomputed "2026-11-20T12:00:00Z"',
      '1 decision replayed: 0 the same, 1 different, 0 unreadable lines, 0 entries of other kinds',
    ]);
    expect(status).toBe(1);
  });

  it('ends with 3 where another engine version recorded what differs', async () => {
    const line = (
      await record((output) => ((output['decision'] as Record<string, unknown>)['reason'] = 'x'))
    ).replace(`"engineVersion":"${engineVersion}"`, '"engineVersion":"0.9.0"');
    expect(await run(replayLines, [line])).toMatchObject({ status: 3 });
    expect(await run(replayLines, [line, 'x'])).toMatchObject({ status: 1 });
  });
});

describe('plimsoll replay of no decision', () => {
  it.each([
    { name: 'an empty input', lines: [] },
    { name: 'entries of other kinds', lines: [JSON.stringify({ kind: 'SyncRun', payload: {} })] },
  ])('ends with 1 and says so, unless that is allowed: $name', async ({ lines }) => {
    const { status, printed } = await run(replayLines, lines);
    expect({ status, last: printed.at(-1) }).toEqual({
      status: 1,
      last: 'no decision was replayed: nothing is proved (--allow-empty accepts that)',
    });
    const allowed = await run((streams) => replayLines(streams, { allowEmpty: true }), lines);
    expect(allowed).toMatchObject({ status: 0, printed: [expect.stringContaining('0 decisions replayed')] });
  });
});

describe('plimsoll replay, over an export', () => {
  const entry = { kind: 'Decision', stream: 'policy:shop/web', seq: '7' };

  it('counts entries whose payload is left out', async () => {
    const lines = [
      JSON.stringify({ ...entry, payloadHash: 'a'.repeat(64) }),
      JSON.stringify({ ...entry, payloadWithoutObservation: { input: { observation: 'sha256:' } } }),
    ];
    expect(await run((streams) => replayLines(streams, { allowEmpty: true }), lines)).toEqual({
      status: 0,
      printed: [
        '0 decisions replayed: 0 the same, 0 different, 0 unreadable lines, 0 entries of other kinds, 2 without their payloads',
      ],
    });
  });

  it('passes over what stands in the place of entries that have expired, and counts them, as explain does', async () => {
    const expired = (last: string) => ({
      expired: { hash: 'a'.repeat(64), last },
      stream: 'policy:shop/web',
    });
    const { decision } = parse((await run(decideLines, [good])).printed[0]);
    const lines = [expired('83'), expired('4'), { ...entry, payload: { input, decision } }];
    const texts = lines.map((line) => JSON.stringify(line));
    expect(await run(replayLines, texts)).toEqual({
      status: 0,
      printed: [
        '1 decision replayed: 1 the same, 0 different, 0 unreadable lines, 0 entries of other kinds, 87 expired',
      ],
    });
    const explained = await run((streams) => explainLines(streams, plain), texts);
    expect(explained).toMatchObject({ status: 0 });
    expect(explained.printed.at(-1)).toBe('2 entries of the ledger hold no decision, and are passed over');
  });

  it.each(['many', '0', ''])('does not take %j for a count of entries that have expired', async (last) => {
    const line = JSON.stringify({ expired: { hash: 'a'.repeat(64), last }, stream: 'policy:shop/web' });
    const { printed } = await run(replayLines, [line]);
    expect(printed.join('\n')).toContain('1 unreadable line, ');
  });

  it('refuses a contract version that it does not know', async () => {
    const line = JSON.stringify({ ...entry, payload: { contractVersion: 'v9', input, decision: {} } });
    const { status, printed } = await run(replayLines, [line]);
    expect(status).toBe(1);
    expect(printed[0]).toBe('line 1: contract version "v9" is not known; this program knows v1 and v2');
  });

  it.each(['v1', 'v2'])('replays a record of contract version %s', async (contractVersion) => {
    const { decision } = parse((await run(decideLines, [good])).printed[0]);
    const line = JSON.stringify({
      ...entry,
      payload: { engineVersion, contractVersion, input, decision },
    });
    expect(await run(replayLines, [line])).toMatchObject({ status: 0 });
  });

  it('reads the files of the folder in their order', async () => {
    const { decision } = parse((await run(decideLines, [good])).printed[0]);
    const line = `${JSON.stringify({ ...entry, payload: { engineVersion, contractVersion: 'v1', input, decision } })}\n`;
    const files = ['entries-000001.ndjson', 'entries-000002.ndjson'];
    const manifest = {
      exportFormat: 1,
      madeAt: '2026-11-20T12:00:00Z',
      filter: { from: null, until: null, namespaces: null, policies: null, kinds: null },
      files: files.map((path) => ({ path, entries: 1 })),
      streams: 1,
      entries: 2,
    };
    const tree = makeTree({
      'manifest.json': JSON.stringify(manifest),
      ...Object.fromEntries(files.map((file) => [file, line])),
    });
    const { output, lines } = sink();
    expect(await replayLines({ input: await openExport(tree.folder), output })).toBe(0);
    expect(lines()[0]).toContain('2 decisions replayed: 2 the same');
    tree.remove();
  });
});

describe('plimsoll explain', () => {
  it('prints the waterfall of an input, an output and a record alike', async () => {
    const [output] = (await run(decideLines, [good])).printed;
    const lines = [
      good,
      output ?? '',
      JSON.stringify({ kind: 'Decision', payload: { input, ...parse(output) } }),
    ];
    const texts: string[] = [];
    for (const line of lines) {
      const { status, printed } = await run((streams) => explainLines(streams, plain), [line]);
      expect(status).toBe(0);
      texts.push(printed.join('\n'));
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('3 → 5 replicas  ScaleUp: external metric queue(nil) above target');
    expect(texts[0]).toMatch(/proposal +5 ▲ 500m over 3 replicas of the target; target 100m per pod ± 10 %/);
  });

  it('counts the entries of an export that hold no decision, in place of a line for each', async () => {
    const entry = {
      stream: 'policy:shop/checkout',
      seq: '1',
      kind: 'ScalingEvent',
      payload: { from: 1, to: 2 },
    };
    const bare = { stream: 'policy:shop/checkout', seq: '2', kind: 'Decision', payloadHash: 'x' };
    const entries = [entry, bare].map((each) => JSON.stringify(each));
    const whole = await run((streams) => explainLines(streams, plain), [...entries, good]);
    expect([whole.status, whole.printed.at(-1)]).toEqual([
      0,
      '2 entries of the ledger hold no decision, and are passed over',
    ]);
    expect(whole.printed.join('\n')).not.toContain('line 1');
    const none = await run((streams) => explainLines(streams, plain), entries.slice(0, 1));
    expect(none).toEqual({
      status: 1,
      printed: ['1 entry of the ledger holds no decision, and is passed over'],
    });
  });

  it('says that there was nothing to explain', async () => {
    const explained = run((streams) => explainLines(streams, plain), []);
    await expect(explained).rejects.toMatchObject({
      name: 'UnusableError',
      message: 'there is no input, not one line: nothing was explained',
    });
  });

  it('uses colours only where it is asked to', async () => {
    const { printed } = await run((streams) => explainLines(streams, inColour), [good]);
    expect(printed.join('')).toContain('\u001b[');
  });

  it('ends with 1 after a line that holds no decision', async () => {
    const broken = JSON.stringify({ steps: [null], metrics: [], conditions: [], policy: {}, selection: {} });
    const { status, printed } = await run((streams) => explainLines(streams, plain), ['{}', broken, 'x']);
    expect(status).toBe(1);
    expect(printed.filter((text) => text.startsWith('line '))).toHaveLength(3);
  });
});
