import { describe, expect, it } from '@jest/globals';

import { defaultRepositoryLimits, PolicyFileCache } from '#policy';

import { FakeClock } from '../ports/clock.fake.ts';
import { ContentCache } from './content-cache.ts';
import { InProcessParser } from './in-process-parser.ts';
import { sliceMilliseconds } from './in-slices.ts';
import type { BlobContent, GitRepositoryPort, TreeEntry } from './ports/git.port.ts';
import { type CommitReader, readCommit } from './read-commit.ts';
import { defaultBlastRadius, defaultFetchLimits } from './source-configuration.ts';

const files = 2000;
const encoder = new TextEncoder();

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
    const reader = commitReader(clock);
    const { reading } = await readCommit(reader, 'first');
    expect(reading.documents).toHaveLength(files);
    // A look a file as it is surveyed, as it is parsed, and as its documents are taken.
    expect(clock.turns).toBeGreaterThanOrEqual((3 * files) / sliceMilliseconds);
    // Where two stages meet, the rest of a slice stands before a whole one.
    expect(clock.longest).toBeLessThanOrEqual(2 * sliceMilliseconds);
  });

  it('reads the same whether the loop turns or not', async () => {
    const sliced = await readCommit(commitReader(new BusyClock()), 'first');
    const whole = await readCommit(commitReader(new FakeClock()), 'first');
    expect(JSON.stringify(sliced.reading)).toBe(JSON.stringify(whole.reading));
  });
});

function commitReader(clock: FakeClock): CommitReader {
  return {
    repository: repositoryOf(files),
    configuration: {
      location: { source: 'policies', url: 'file:///policies', ref: 'main' },
      repository: { path: '', include: [], exclude: [], tenants: [], limits: defaultRepositoryLimits },
      blastRadius: defaultBlastRadius,
      fetchLimits: defaultFetchLimits,
      read: {},
    },
    files: new PolicyFileCache(),
    documents: new WeakMap(),
    contents: new ContentCache(),
    filesInForce: new Set(),
    parser: new InProcessParser(clock),
    clock,
  };
}

/** One policy a file; nothing else of a repository is looked at. */
function repositoryOf(count: number): Pick<GitRepositoryPort, 'loadTree' | 'loadBlobs'> {
  const tree = Array.from({ length: count }, (_, index): TreeEntry => ({
    path: `shop/p${index}.yaml`,
    id: `p${index}`,
    mode: '100644',
  }));
  return {
    loadTree: () => Promise.resolve(tree),
    loadBlobs: (ids) => Promise.resolve(new Map(ids.map((id) => [id, policyOf(id)]))),
  };
}

function policyOf(name: string): BlobContent {
  const text = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  maxReplicas: 10
`;
  return { kind: 'Bytes', bytes: encoder.encode(text) };
}
