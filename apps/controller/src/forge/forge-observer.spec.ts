import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { CommitStatus, ForgePort, Hold, PullRequest, RevisionRecord, SyncOutcome } from '#git-sync';
import { FakePullRequestStore } from '#git-sync/testing';
import { AdapterError } from '#kernel';
import { ForgeObserver } from './forge-observer.ts';
import { ForgeTasks } from './forge-tasks.ts';

const hash = 'a'.repeat(40);
const commit = {
  hash,
  author: 'Alex <alex@example.com>',
  subject: 'Raise (#12)',
  time: '2026-11-21T12:00:00Z',
};
const known: PullRequest = { number: 12, author: 'alex', approvers: ['ada'], verified: true };
const byForge: PullRequest = { number: 12, author: null, approvers: [], verified: false };
const revision: RevisionRecord = {
  source: 'policies',
  commit,
  outcome: 'active',
  message: '',
  fetchedAt: commit.time,
  finishedAt: commit.time,
  details: { message: 'Raise (#12)\n\nMore.' },
};
const aHold = ({ isRejected = false }): Hold => ({
  scope: { kind: 'Source' },
  causes: [{ code: 'BlastRadius', message: '12 targets', items: [] }],
  digest: '0'.repeat(64),
  commit: hash,
  since: '2026-11-20T12:00:00Z',
  isRejected,
});
const anOutcome = (fields: Partial<SyncOutcome>): SyncOutcome => ({
  source: 'policies',
  result: 'active',
  commit,
  message: '1 document changed, 0 left',
  diagnostics: [],
  holds: [],
  ...fields,
});
const anError = (line: number): SyncOutcome['diagnostics'][number] => ({
  severity: 'error',
  code: 'OutOfRange',
  message: 'maxReplicas is 0',
  file: 'shop/checkout.yaml',
  line,
  column: 3,
  path: ['spec', 'maxReplicas'],
  tenant: '',
});
const refused = new AdapterError({
  code: 'AuthenticationFailed',
  message: 'the forge refuses the token',
  retryable: false,
});
const down = new AdapterError({ code: 'Unreachable', message: 'the forge did not answer', retryable: true });

describe('an observer of syncs', () => {
  let statuses: CommitStatus[];
  let asked: string[];
  let answers: (PullRequest | null | Error)[];
  let writes: (Error | undefined)[];
  let waits: { readonly milliseconds: number; readonly go: () => void }[];
  let lines: Readonly<Record<string, unknown>>[];
  let store: FakePullRequestStore;
  let records: unknown[];
  let refusals: Error[];
  let tasks: ForgeTasks;
  let observer: ForgeObserver;

  const forge: ForgePort = {
    loadPullRequest: (wanted, branch) => {
      asked.push(`${wanted} ${branch}`);
      const answer = answers.shift() ?? null;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    writeStatus: (status) => {
      statuses.push(status);
      const error = writes.shift();
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    },
  };
  const observe = (given: { readonly forge?: ForgePort; readonly writesStatus: boolean }): ForgeObserver =>
    new ForgeObserver({
      sources: [{ name: 'policies', ref: 'refs/heads/main', ...given }],
      cluster: 'prod',
      tasks,
      revisions: { listRevisions: () => Promise.resolve([revision]) },
      pullRequests: store,
      reviews: {
        record: (source, { hash: recorded }, pullRequest) => {
          records.push([source, recorded, pullRequest]);
          const refusal = refusals.shift();
          return refusal === undefined ? Promise.resolve() : Promise.reject(refusal);
        },
      },
    });

  beforeEach(() => {
    [statuses, asked, answers, writes, waits, lines] = [[], [], [known], [], [], []];
    [records, refusals] = [[], []];
    store = new FakePullRequestStore();
    tasks = new ForgeTasks({
      clock: { now: () => `2026-11-30T12:00:0${waits.length}Z` },
      wait: (milliseconds, go) => {
        waits.push({ milliseconds, go });
        return () => undefined;
      },
      logger: pino(
        { level: 'info' },
        { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
      ),
    });
    observer = observe({ forge, writesStatus: true });
  });
  const reported = (): readonly string[] =>
    statuses.map(({ state, description }) => `${state}: ${description}`);

  it('reports pending, then success, once', async () => {
    observer.judging('policies', hash);
    observer.ended(anOutcome({}));
    await turn();
    observer.ended(anOutcome({}));
    observer.judging('policies', hash);
    await turn();
    expect(reported()).toEqual(['pending: being judged', 'success: in force: 1 document changed, 0 left']);
    expect(statuses[0]).toMatchObject({ commit: hash, context: 'plimsoll/prod/policies' });
  });

  it.each<{ readonly name: string; readonly fields: Partial<SyncOutcome>; readonly want: readonly string[] }>(
    [
      {
        name: 'errors, the first three',
        fields: { result: 'rejected', diagnostics: [1, 2, 3, 4].map(anError) },
        want: [
          `failure: 4 errors: ${[1, 2, 3].map((line) => `shop/checkout.yaml:${line}:3: maxReplicas is 0`).join('; ')}`,
        ],
      },
      { name: 'a look that found nothing new', fields: { result: 'unchanged' }, want: ['success: in force'] },
      {
        name: 'errors that were reported before a restart',
        fields: { result: 'unchanged', diagnostics: [anError(7)] },
        want: ['failure: 1 error: shop/checkout.yaml:7:3: maxReplicas is 0'],
      },
      {
        name: 'that nothing waits any more, where everything is rejected',
        fields: { result: 'unchanged', holds: [aHold({ isRejected: true })] },
        want: ['failure: rejected: BlastRadius: 12 targets'],
      },
      {
        name: 'what still waits beside what is rejected',
        fields: { result: 'held', holds: [aHold({ isRejected: true }), aHold({})] },
        want: ['pending: held until approved: BlastRadius: 12 targets; BlastRadius: 12 targets'],
      },
      { name: 'a failure of ours or of Git', fields: { result: 'failed' }, want: [] },
      { name: 'no commit', fields: { commit: null }, want: [] },
    ],
  )('reports $name', async ({ fields, want }) => {
    observer.ended(anOutcome(fields));
    await turn();
    expect(reported()).toEqual(want);
  });

  it('tries a status again with growing waits, then gives up and says so', async () => {
    writes = Array.from({ length: 9 }, () => down);
    observer = observe({ forge, writesStatus: true });
    answers = [known];
    observer.ended(anOutcome({}));
    await turn();
    for (let index = 0; index < 8; index += 1) {
      waits[index]?.go();
      await turn();
    }
    expect(waits.map(({ milliseconds }) => milliseconds / 1000)).toEqual([2, 8, 32, 128, 512, 900, 900, 900]);
    const said = {
      level: 30,
      what: 'the commit status',
      reason: 'Unreachable: the forge did not answer',
    };
    expect(lines).toEqual([
      expect.objectContaining({ ...said, msg: 'asked again at the forge, later' }),
      expect.objectContaining({ ...said, msg: 'given up at the forge' }),
    ]);
  });

  it('says what fails from the first wait that is told until the next success of its kind', async () => {
    writes = [down, down, down, down];
    observer.ended(anOutcome({}));
    await turn();
    for (const failing of [0, 0, 1, 1]) {
      expect(observer.failing).toHaveLength(failing);
      waits.at(-1)?.go();
      await turn();
    }
    expect(observer.failing).toEqual([]);
    writes = [refused];
    observer.ended(anOutcome({ result: 'rejected', diagnostics: [anError(7)] }));
    await turn();
    expect(observer.failing).toEqual([
      { source: 'policies', since: '2026-11-30T12:00:04Z', code: 'AuthenticationFailed' },
    ]);
    observer.reconfigure([{ name: 'policies', ref: 'refs/heads/main', writesStatus: false }]);
    expect(observer.failing).toEqual([]);
  });

  it('knows why a forge has not said who allowed a commit, until it has', async () => {
    answers = [down, known];
    expect(observer.whyUnanswered('policies', hash)).toBeNull();
    observer.ended(anOutcome({}));
    await turn();
    expect(observer.whyUnanswered('policies', hash)).toBe('Unreachable: the forge did not answer');
    waits[0]?.go();
    await turn();
    expect(observer.whyUnanswered('policies', hash)).toBeNull();
  });

  it('waits as long as a forge that limits asks for, and an hour at most', async () => {
    const limited = (milliseconds: number): AdapterError =>
      new AdapterError({
        code: 'RateLimited',
        message: 'the forge limits requests',
        retryable: true,
        retryAfterMilliseconds: milliseconds,
      });
    writes = [limited(600_000), limited(1), limited(86_400_000)];
    observer.ended(anOutcome({}));
    for (let index = 0; index < 3; index += 1) {
      await turn();
      waits[index]?.go();
    }
    expect(waits.map(({ milliseconds }) => milliseconds / 1000)).toEqual([600, 8, 3_600]);
  });

  it('writes the newest status instead of one that waits', async () => {
    writes = [down];
    observer.judging('policies', hash);
    await turn();
    observer.ended(anOutcome({}));
    await turn();
    expect(reported()).toEqual(['pending: being judged', expect.stringMatching(/^success/)]);
  });

  it('asks who allowed a commit once, and knows it after a restart', async () => {
    observer.ended(anOutcome({}));
    observer.ended(anOutcome({ result: 'unchanged' }));
    await turn();
    expect(store.records.get(hash)).toEqual(known);
    observe({ forge, writesStatus: true }).ended(anOutcome({ result: 'unchanged' }));
    await turn();
    expect(asked).toEqual([`${hash} main`]);
  });

  it('records what the forge says, and at the next start what was kept and not recorded', async () => {
    observer.ended(anOutcome({}));
    observer.ended(anOutcome({ result: 'unchanged' }));
    await turn();
    expect(records).toEqual([['policies', hash, known]]);
    observe({ forge, writesStatus: true }).ended(anOutcome({ result: 'unchanged' }));
    await turn();
    expect(records).toEqual([
      ['policies', hash, known],
      ['policies', hash, known],
    ]);
    expect(asked).toHaveLength(1);
  });

  it('records what the forge said once the ledger takes entries again, without asking twice', async () => {
    refusals = [down];
    observer.ended(anOutcome({}));
    await turn();
    waits.at(-1)?.go();
    await turn();
    expect(records).toHaveLength(2);
    expect(asked).toHaveLength(1);
  });

  it('records nothing of what only the message says', async () => {
    answers = [down];
    observer.ended(anOutcome({}));
    observe({ writesStatus: false }).ended(anOutcome({}));
    await turn();
    expect(records).toEqual([]);
  });

  it('knows what the message says while the forge is down', async () => {
    answers = [down, known];
    observer.ended(anOutcome({}));
    await turn();
    expect(store.records.get(hash)).toEqual(byForge);
    waits.at(-1)?.go();
    await turn();
    expect(store.records.get(hash)).toEqual(known);
  });

  it('believes the third time that there is no pull request', async () => {
    answers = [null, null, null];
    observer.ended(anOutcome({}));
    await turn();
    for (const wanted of [byForge, byForge, { number: null, author: null, approvers: [], verified: true }]) {
      expect(store.records.get(hash)).toEqual(wanted);
      waits.at(-1)?.go();
      await turn();
    }
  });

  it('takes the message without a forge, and writes no status', async () => {
    observe({ writesStatus: false }).ended(anOutcome({}));
    await turn();
    expect([store.records.get(hash), statuses, asked]).toEqual([byForge, [], []]);
  });

  it('asks again at the next look where it was given up, and says so once', async () => {
    const forbidden = new AdapterError({ code: 'AuthenticationFailed', message: 'no', retryable: false });
    answers = [forbidden, forbidden, known];
    for (const result of ['held', 'unchanged', 'unchanged', 'unchanged'] as const) {
      observer.ended(anOutcome({ result }));
      await turn();
    }
    expect(asked).toHaveLength(3);
    expect(store.records.get(hash)).toEqual(known);
    const given = lines.filter(({ what }) => what === 'who allowed a commit');
    expect(given).toEqual([expect.objectContaining({ reason: 'AuthenticationFailed: no' })]);
  });

  it('asks about what was rejected and may be approved by another person', async () => {
    observer.ended(anOutcome({ result: 'rejected', holds: [aHold({ isRejected: true })] }));
    await turn();
    expect(asked).toHaveLength(1);
  });

  it('does not ask about what was rejected', async () => {
    observer.ended(anOutcome({ result: 'rejected', diagnostics: [anError(1)] }));
    await turn();
    expect(asked).toEqual([]);
  });

  it('holds a bounded number of tasks, and none after its end', async () => {
    const never = new Promise<void>(() => undefined);
    for (let index = 0; index < 250; index += 1)
      tasks.put({ key: String(index), source: 'policies', what: 'a task', run: () => never });
    expect(lines).toHaveLength(50);
    expect(lines[0]).toMatchObject({ reason: 'TooManyTasks' });
    const later = new ForgeTasks({
      clock: { now: () => '2026-11-30T12:00:00Z' },
      wait: () => () => undefined,
      logger: pino({ level: 'silent' }),
    });
    await later.stop();
    let ran = false;
    later.put({
      key: 'x',
      source: 'policies',
      what: 'a task',
      run: () => Promise.resolve(void (ran = true)),
    });
    expect(ran).toBe(false);
  });
});

/** Lets what has been resolved go on. */
async function turn(): Promise<void> {
  for (let count = 0; count < 3; count += 1) await new Promise((resolve) => setImmediate(resolve));
}
