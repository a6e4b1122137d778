import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommitStatus, ForgePort, PullRequest } from '#git-sync';
import { AdapterError } from '#kernel';
import {
  type ForgeAnswer,
  type ForgeServer,
  startForgeServer,
} from '../../../../test/support/forge-server.ts';
import { loadSecrets } from '../network/secret-file.ts';
import { createForge, type ForgeOptions } from './create-forge.ts';

const commit = 'bffeb74224043ba2feb48d137756c8a9331c449a';
const status: CommitStatus = {
  commit,
  state: 'failure',
  context: 'plimsoll/prod/policies',
  description: 'x'.repeat(500),
};

/** A forge as its documentation describes it: paths, headers and answers. */
interface Documented {
  readonly provider: ForgeOptions['provider'];
  readonly repository: string;
  readonly header: string;
  readonly value: (token: string) => string;
  readonly pulls: string;
  readonly reviews: string;
  readonly statuses: string;
  readonly wantStatus: object;
  /** The answer of `pulls` with one merged at noon, and of `reviews`. */
  readonly merged: unknown;
  readonly open: unknown;
  readonly reviewed: unknown;
  /** Answers where no pull request brought the commit. */
  readonly none: Readonly<Record<string, ForgeAnswer>>;
  readonly want: PullRequest;
}

const github = {
  number: 12,
  user: { login: 'alex' },
  base: { ref: 'main' },
  state: 'closed',
  merge_commit_sha: commit,
  merged_at: '2026-11-21T12:00:00Z',
};
const gitea = { ...github, merged: true };
const gitlab = {
  id: 900,
  iid: 7,
  state: 'merged',
  author: { username: 'alex' },
  target_branch: 'main',
  merge_commit_sha: null,
  squash_commit_sha: commit,
  merged_at: '2026-11-21T12:00:00.000Z',
};
const review = (login: string, state: string, time: string): object => ({
  user: { login },
  state,
  submitted_at: `2026-11-21T${time}:00Z`,
});

const documented: readonly Documented[] = [
  {
    provider: 'github',
    repository: 'platform/policies',
    header: 'authorization',
    value: (token) => `Bearer ${token}`,
    pulls: `GET /repos/platform/policies/commits/${commit}/pulls`,
    reviews: 'GET /repos/platform/policies/pulls/12/reviews',
    statuses: `POST /repos/platform/policies/statuses/${commit}`,
    wantStatus: { state: 'failure', context: status.context, description: `${'x'.repeat(139)}…` },
    merged: [
      { ...github, number: 3, base: { ref: 'develop' }, merge_commit_sha: 'f'.repeat(40) },
      { ...github, number: 4, merged_at: null },
      github,
    ],
    open: [{ ...github, merged_at: null, state: 'open' }],
    reviewed: [
      review('ada', 'APPROVED', '10:00'),
      review('ada', 'COMMENTED', '10:30'),
      review('bo', 'APPROVED', '10:00'),
      review('bo', 'CHANGES_REQUESTED', '11:00'),
      review('cy', 'CHANGES_REQUESTED', '10:00'),
      review('cy', 'APPROVED', '11:00'),
      review('dee', 'DISMISSED', '11:00'),
      review('eve', 'APPROVED', '12:01'),
      { user: null, state: 'APPROVED' },
    ],
    none: { [`GET /repos/platform/policies/commits/${commit}/pulls`]: { body: [] } },
    want: { number: 12, author: 'alex', approvers: ['ada', 'cy'], verified: true },
  },
  {
    provider: 'gitlab',
    repository: 'group/platform/policies',
    header: 'private-token',
    value: (token) => token,
    pulls: `GET /projects/group%2Fplatform%2Fpolicies/repository/commits/${commit}/merge_requests`,
    reviews: 'GET /projects/group%2Fplatform%2Fpolicies/merge_requests/7/approvals',
    statuses: `POST /projects/group%2Fplatform%2Fpolicies/statuses/${commit}`,
    wantStatus: { state: 'failed', name: status.context, description: `${'x'.repeat(254)}…` },
    merged: [{ ...gitlab, iid: 8, state: 'opened' }, gitlab],
    open: [{ ...gitlab, state: 'opened' }],
    reviewed: {
      approved_by: [
        { user: { username: 'ada' } },
        { user: { username: 'bo' }, approved_at: '2026-11-21T11:00:00.000Z' },
        { user: { username: 'eve' }, approved_at: '2026-11-21T12:01:00.000Z' },
      ],
    },
    none: {
      [`GET /projects/group%2Fplatform%2Fpolicies/repository/commits/${commit}/merge_requests`]: { body: [] },
    },
    want: { number: 7, author: 'alex', approvers: ['ada', 'bo'], verified: true },
  },
  {
    provider: 'gitea',
    repository: 'platform/policies',
    header: 'authorization',
    value: (token) => `token ${token}`,
    pulls: `GET /repos/platform/policies/commits/${commit}/pull`,
    reviews: 'GET /repos/platform/policies/pulls/12/reviews',
    statuses: `POST /repos/platform/policies/statuses/${commit}`,
    wantStatus: { state: 'failure', context: status.context, description: `${'x'.repeat(254)}…` },
    merged: gitea,
    open: { ...gitea, merged: false, merged_at: null },
    reviewed: [
      review('ada', 'APPROVED', '10:00'),
      review('ada', 'COMMENT', '10:30'),
      review('bo', 'APPROVED', '10:00'),
      review('bo', 'REQUEST_CHANGES', '11:00'),
      { ...review('dee', 'APPROVED', '11:00'), dismissed: true },
      review('eve', 'APPROVED', '12:01'),
    ],
    none: { 'GET /repos/platform/policies': { body: { full_name: 'platform/policies' } } },
    want: { number: 12, author: 'alex', approvers: ['ada'], verified: true },
  },
];

describe.each(documented)('$provider', (forge) => {
  let folder: string;
  let token: string;
  let now: number;
  let server: ForgeServer;
  let port: ForgePort;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-forge-'));
    token = 'forge-secret-1';
    now = Date.now();
    await writeFile(join(folder, 'token'), `${token}\n`);
    server = await startForgeServer({ header: forge.header, value: () => forge.value(token) });
    port = createForge({
      provider: forge.provider,
      apiUrl: server.url,
      repository: forge.repository,
      tokenFile: join(folder, 'token'),
      now: () => now,
    });
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const failure = async (): Promise<unknown> =>
    port.loadPullRequest(commit, 'main').catch((error: unknown) => error);

  it('says who wrote and who allowed a commit', async () => {
    server.answer(forge.pulls, { body: forge.merged });
    server.answer(forge.reviews, { body: forge.reviewed });
    expect(await port.loadPullRequest(commit, 'main')).toEqual(forge.want);
  });

  it('knows no pull request of a commit that none brought, and none that is not merged', async () => {
    for (const [route, answer] of Object.entries(forge.none)) server.answer(route, answer);
    expect(await port.loadPullRequest(commit, 'main')).toBeNull();
    server.answer(forge.pulls, { body: forge.open });
    expect(await port.loadPullRequest(commit, 'main')).toBeNull();
  });

  it('takes a status, cut to what the forge takes', async () => {
    server.answer(forge.statuses, { status: 201, body: { id: 1 } });
    await port.writeStatus(status);
    expect(server.requests.map(({ body }) => body)).toEqual([forge.wantStatus]);
  });

  it('reads its token at each request, and never reveals it', async () => {
    token = 'forge-secret-2';
    const refused = await failure();
    expect(refused).toMatchObject({
      code: 'AuthenticationFailed',
      message: 'the forge answered 401: it does not know the token of forge.tokenFile, or that has expired',
      retryable: false,
    });
    expect(`${String(refused)} ${JSON.stringify(refused)}`).not.toContain('forge-secret');
    await writeFile(join(folder, 'token'), `${token}\n`);
    expect(await failure()).toMatchObject({ code: 'NotShown' });
  });

  it('takes what the token may not see for no word about the commit', async () => {
    expect(await failure()).toMatchObject({
      code: 'NotShown',
      message: expect.stringMatching(new RegExp(`^the forge shows the token no .* of ${forge.repository}$`)),
      retryable: true,
    });
  });

  it.each<{ readonly name: string; readonly answer: ForgeAnswer; readonly want: object }>([
    { name: 'is down', answer: { status: 502 }, want: { code: 'ForgeRefused', retryable: true } },
    { name: 'limits', answer: { status: 429 }, want: { code: 'RateLimited', retryable: true } },
    {
      name: 'limits as GitHub does',
      answer: { status: 403, headers: { 'x-ratelimit-remaining': '0' } },
      want: { code: 'RateLimited', retryable: true },
    },
    {
      name: 'forbids',
      answer: { status: 403 },
      want: {
        code: 'AuthenticationFailed',
        message: 'the forge answered 403: the token of forge.tokenFile lacks the right to do this',
        retryable: false,
      },
    },
    { name: 'answers no JSON', answer: {}, want: { code: 'AnswerUnreadable', retryable: true } },
    {
      name: 'redirects',
      answer: { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      want: { code: 'Redirected', retryable: false },
    },
    {
      name: 'answers too much',
      answer: { body: 'x'.repeat(4 * 1024 * 1024) },
      want: { code: 'AnswerTooLarge', retryable: true },
    },
  ])('throws when it $name', async ({ answer, want }) => {
    server.answer(forge.pulls, answer);
    expect(await failure()).toMatchObject(want);
  });

  it.each<{ readonly name: string; readonly answer: ForgeAnswer; readonly want: number }>([
    {
      name: 'says how many seconds',
      answer: { status: 429, headers: { 'retry-after': '30' } },
      want: 30_000,
    },
    {
      name: 'says until when',
      answer: {
        status: 429,
        headers: {
          date: 'Sat, 21 Nov 2026 12:00:00 GMT',
          'retry-after': 'Sat, 21 Nov 2026 12:00:45 GMT',
        },
      },
      want: 45_000,
    },
    {
      name: 'has no request left until a time of its own clock (GitHub)',
      answer: {
        status: 403,
        headers: {
          date: 'Sat, 21 Nov 2026 12:00:00 GMT',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(Date.parse('2026-11-21T12:10:00Z') / 1000),
        },
      },
      want: 600_000,
    },
    {
      name: 'has no request left until a time (GitLab)',
      answer: {
        status: 429,
        headers: {
          date: 'Sat, 21 Nov 2026 12:00:00 GMT',
          'ratelimit-remaining': '0',
          'ratelimit-reset': String(Date.parse('2026-11-21T12:01:30Z') / 1000),
        },
      },
      want: 90_000,
    },
    {
      name: 'says so in words alone (GitHub, secondary)',
      answer: { status: 403, body: { message: 'You have exceeded a secondary rate limit' } },
      want: 60_000,
    },
    {
      name: 'asks for a day',
      answer: { status: 429, headers: { 'retry-after': '86400' } },
      want: 3_600_000,
    },
    {
      name: 'asks for a moment of the past',
      answer: { status: 429, headers: { 'retry-after': 'Sat, 21 Nov 2015 12:00:00 GMT' } },
      want: 1_000,
    },
    { name: 'asks for nonsense', answer: { status: 429, headers: { 'retry-after': 'soon' } }, want: 60_000 },
  ])('is left alone when it limits and $name', async ({ answer, want }) => {
    server.answer(forge.pulls, answer);
    expect(await failure()).toMatchObject({
      code: 'RateLimited',
      retryable: true,
      retryAfterMilliseconds: want,
    });
    expect(server.requests).toHaveLength(1);
    now += want - 1;
    expect(await failure()).toMatchObject({ code: 'RateLimited', retryAfterMilliseconds: 1 });
    expect(server.requests).toHaveLength(1);
    now += 1;
    server.answer(forge.pulls, { body: forge.open });
    expect(await failure()).toBeNull();
  });

  it('is left alone after the last request that it allows', async () => {
    server.answer(forge.pulls, {
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' },
      body: forge.open,
    });
    expect(await failure()).toBeNull();
    expect(await failure()).toMatchObject({ code: 'RateLimited', retryAfterMilliseconds: 20_000 });
    expect(server.requests).toHaveLength(1);
  });

  it('cuts no character of a status in half', async () => {
    server.answer(forge.statuses, { status: 201, body: { id: 1 } });
    await port.writeStatus({ ...status, description: '😀'.repeat(300) });
    const [{ body } = { body: undefined }] = server.requests;
    expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/i);
  });

  it('throws when it is not there', async () => {
    await server.stop();
    expect(await failure()).toMatchObject({ code: 'Unreachable', retryable: true });
  });

  it('takes no answer of another shape', async () => {
    for (const body of [null, 7, 'x', { message: 'x' }, [null, 7, {}], [{ number: 'x', state: 'merged' }]]) {
      server.answer(forge.pulls, { body });
      expect(await failure()).toMatchObject({ code: 'AnswerUnreadable', retryable: true });
    }
    server.answer(forge.pulls, { body: forge.merged });
    for (const body of [null, 7, 'x', {}, [null], [7]]) {
      server.answer(forge.reviews, { body });
      expect(await failure()).toMatchObject({ code: 'AnswerUnreadable', retryable: true });
    }
  });

  it.each(['x'.repeat(256), 'ada\nbo', 'ada\u202ebo', 'ada\u001b[31m'])(
    'takes no login %j',
    async (login) => {
      const body = JSON.stringify(forge.merged).replaceAll('"alex"', JSON.stringify(login));
      server.answer(forge.pulls, { body: JSON.parse(body) });
      server.answer(forge.reviews, { body: forge.reviewed });
      expect(await failure()).toMatchObject({ code: 'AnswerUnreadable' });
      server.answer(forge.pulls, { body: forge.merged });
      const reviews = JSON.stringify(forge.reviewed).replaceAll('"ada"', JSON.stringify(login));
      server.answer(forge.reviews, { body: JSON.parse(reviews) });
      expect(await failure()).toMatchObject({ code: 'AnswerUnreadable' });
    },
  );
});

describe.each(documented.filter(({ provider }) => provider !== 'gitlab'))(
  'the reviews of $provider',
  (forge) => {
    let folder: string;
    let server: ForgeServer;
    let port: ForgePort;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'plimsoll-forge-'));
      await writeFile(join(folder, 'token'), 't');
      server = await startForgeServer({ header: forge.header, value: () => forge.value('t') });
      const { provider, repository } = forge;
      const tokenFile = join(folder, 'token');
      port = createForge({ provider, apiUrl: server.url, repository, tokenFile, now: () => 0 });
      server.answer(forge.pulls, { body: forge.merged });
    });
    afterEach(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const pageOf = ({ path }: { readonly path: string }): number => Number(/[?&]page=(\d+)/.exec(path)?.[1]);
    const next = { link: '<http://127.0.0.1:1/elsewhere>; rel="next", <http://127.0.0.1:1/>; rel="last"' };
    const no = forge.provider === 'github' ? 'CHANGES_REQUESTED' : 'REQUEST_CHANGES';

    it('are read to the last page, however few a page holds, and at no address of the answer', async () => {
      server.answer(forge.reviews, (request) =>
        pageOf(request) === 1
          ? { headers: next, body: [review('ada', 'APPROVED', '10:00')] }
          : { body: [review('bo', 'APPROVED', '10:30'), review('ada', no, '11:00')] },
      );
      expect(await port.loadPullRequest(commit, 'main')).toMatchObject({ approvers: ['bo'] });
    });

    it('are not known where a page of them is not there', async () => {
      server.answer(forge.reviews, (request) =>
        pageOf(request) === 1
          ? { headers: next, body: [review('ada', 'APPROVED', '10:00')] }
          : { status: 404, body: {} },
      );
      await expect(port.loadPullRequest(commit, 'main')).rejects.toMatchObject({ code: 'NotShown' });
    });

    it('are none of another repository with the same commits', async () => {
      const elsewhere = { ref: 'main', repo: { full_name: 'fork/policies' } };
      const merged = JSON.stringify(forge.merged).replaceAll(
        /"base":\{[^}]*\}/g,
        `"base":${JSON.stringify(elsewhere)}`,
      );
      server.answer(forge.pulls, { body: JSON.parse(merged) });
      expect(await port.loadPullRequest(commit, 'main')).toBeNull();
      server.answer(forge.pulls, { body: JSON.parse(merged.replaceAll('fork/', 'Platform/')) });
      server.answer(forge.reviews, { body: forge.reviewed });
      expect(await port.loadPullRequest(commit, 'main')).toEqual(forge.want);
    });

    it('name no reviewer where there are too many to know the last review of each', async () => {
      server.answer(forge.reviews, { headers: next, body: [review('ada', 'APPROVED', '10:00')] });
      await expect(port.loadPullRequest(commit, 'main')).rejects.toMatchObject({
        code: 'TooManyPages',
        retryable: false,
      });
    });
  },
);

describe('a status that GitLab has already', () => {
  it('is no failure', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-forge-'));
    await writeFile(join(folder, 'token'), 't');
    const server = await startForgeServer({ header: 'private-token', value: () => 't' });
    const tokenFile = join(folder, 'token');
    const port = createForge({
      provider: 'gitlab',
      apiUrl: server.url,
      repository: 'a/b',
      tokenFile,
      now: () => 0,
    });
    const body = { message: 'Cannot transition status via :enqueue from :pending' };
    server.answer(`POST /projects/a%2Fb/statuses/${commit}`, { status: 400, body });
    await expect(port.writeStatus(status)).resolves.toBeUndefined();
    for (const message of ['', 'Cannot transition status via :drop from :canceled']) {
      server.answer(`POST /projects/a%2Fb/statuses/${commit}`, { status: 400, body: { message } });
      await expect(port.writeStatus(status)).rejects.toMatchObject({
        code: 'ForgeRefused',
        retryable: false,
      });
    }
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
});

describe('a file of secrets', () => {
  it.each([
    { name: 'one', text: 'one\n', want: ['one'] },
    { name: 'two, while one takes the place of the other', text: 'new\r\n\nold', want: ['new', 'old'] },
    { name: 'none', text: '\n \n', want: 'SecretUnreadable' },
    { name: 'too many', text: 'a\nb\nc\nd\ne', want: 'SecretUnreadable' },
    { name: 'another file', text: 'x'.repeat(70_000), want: 'SecretUnreadable' },
  ])('with $name', async ({ text, want }) => {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-secret-'));
    const file = join(folder, 'secret');
    await writeFile(file, text);
    const found = await loadSecrets(file).catch((error: unknown) =>
      error instanceof AdapterError ? error.code : error,
    );
    expect(found).toEqual(want);
    await rm(folder, { recursive: true, force: true });
  });

  it('that is not there is named', async () => {
    await expect(loadSecrets('/nowhere/secret')).rejects.toThrow(
      '"/nowhere/secret" cannot be used as a secret (no such file or folder)',
    );
  });
});
