import { describe, expect, it } from '@jest/globals';
import { AdapterError, sliceMilliseconds } from '#kernel';
import { FakeClock } from '#reconciliation/testing';
import { defaultRepositoryLimits, OverlayCache, PolicyFileCache } from '#repository';
import { FakeGit } from '../ports/git.fake.ts';
import type { GitRepositoryPort } from '../ports/git.port.ts';
import { defaultBlastRadius, defaultFetchLimits } from '../setup/source-configuration.ts';
import { ContentCache } from './content-cache.ts';
import { InProcessParser } from './in-process-parser.ts';
import { type CommitReader, type CommitReading, readCommit } from './read-commit.ts';

const files = 2000;
const location = { source: 'policies', url: 'file:///policies', ref: 'refs/heads/main' };

/** A machine on which everything between two looks at the clock takes one millisecond. */
class BusyClock extends FakeClock {
  turns = 0;
  looks = 0;
  longest = 0;
  #lastTurn = 0;

  override monotonicMilliseconds(): number {
    this.looks++;
    this.advance(1);
    return super.monotonicMilliseconds();
  }

  override nextTurn(): Promise<void> {
    this.turns++;
    this.longest = Math.max(this.longest, this.looks - this.#lastTurn);
    this.#lastTurn = this.looks;
    return Promise.resolve();
  }
}

describe('the reading of a commit', () => {
  it(`lets the loop turn all along a first sync of ${files} files`, async () => {
    const clock = new BusyClock();
    const reading = await readWith(clock);
    expect(reading.documents).toHaveLength(files);
    // A look a file as it is surveyed, as it is parsed, and as its documents are taken.
    expect(clock.turns).toBeGreaterThanOrEqual((3 * files) / sliceMilliseconds);
    // Where two stages meet, the rest of a slice stands before a whole one.
    expect(clock.longest).toBeLessThanOrEqual(2 * sliceMilliseconds);
  });

  it('reads the same whether the loop turns or not', async () => {
    const sliced = await readWith(new BusyClock());
    const whole = await readWith(new FakeClock());
    expect(JSON.stringify(sliced)).toBe(JSON.stringify(whole));
  });

  it('names the file whose blob the server lacks', async () => {
    const { repository, commit } = await fetched();
    const [entry] = await repository.loadTree(commit, files);
    const { id = '', path = '' } = entry ?? {};
    const message = `the server does not have blob ${id}`;
    const loadBlobs = (): Promise<never> =>
      Promise.reject(new AdapterError({ code: 'ObjectMissing', message, retryable: true }));
    const loadTree: GitRepositoryPort['loadTree'] = (hash, limit) => repository.loadTree(hash, limit);
    const reader = { ...commitReader(repository, new FakeClock()), repository: { loadTree, loadBlobs } };
    await expect(readCommit(reader, commit)).rejects.toMatchObject({
      code: 'ObjectMissing',
      message: `${path}: ${message}`,
    });
  });

  it.each([
    {
      limit: 1_000,
      message: 'the commit has 2000 YAML files, more than 1000: what limits.files of the source allows',
    },
    {
      limit: 100,
      message: expect.stringMatching(
        /^\w{40} has more than 1000 files: ten times what limits.files of the source allows$/,
      ),
    },
  ])('names the setting that it has too many files for, of $limit', async ({ limit, message }) => {
    const { repository, commit } = await fetched();
    const { configuration, ...reader } = commitReader(repository, new FakeClock());
    const limits = { ...configuration.repository.limits, files: limit };
    const limited = { ...configuration, repository: { ...configuration.repository, limits } };
    const reading = readCommit({ ...reader, configuration: limited }, commit);
    await expect(reading).rejects.toMatchObject({ code: 'TooManyFiles', message });
  });
});

async function readWith(clock: FakeClock): Promise<CommitReading['reading']> {
  const { repository, commit } = await fetched();
  return (await readCommit(commitReader(repository, clock), commit)).reading;
}

function commitReader(repository: GitRepositoryPort, clock: FakeClock): CommitReader {
  return {
    repository,
    configuration: {
      location,
      repository: { path: '', include: [], exclude: [], tenants: [], limits: defaultRepositoryLimits },
      blastRadius: defaultBlastRadius,
      hasForge: false,
      fetchLimits: defaultFetchLimits,
      read: {},
    },
    files: new PolicyFileCache(),
    documents: new WeakMap(),
    overlays: new OverlayCache(),
    contents: new ContentCache(),
    filesInForce: new Set(),
    parser: new InProcessParser(clock),
    clock,
  };
}

/** One policy a file. */
async function fetched(): Promise<{ readonly repository: GitRepositoryPort; readonly commit: string }> {
  const git = new FakeGit();
  const names = Array.from({ length: files }, (_, index) => `p${index}`);
  git
    .remote(location.url)
    .commit('First', Object.fromEntries(names.map((name) => [`shop/${name}.yaml`, policyOf(name)])));
  const repository = await git.open(location);
  return { repository, commit: await repository.fetchHead(defaultFetchLimits) };
}

function policyOf(name: string): string {
  return `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  maxReplicas: 10
`;
}
