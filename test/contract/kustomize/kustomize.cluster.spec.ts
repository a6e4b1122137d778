import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { readPolicyFile } from '#policy';
import {
  defaultRepositoryLimits,
  type FileContent,
  readOverlays,
  readRepository,
  type TreeFile,
} from '#repository';
import { locateArtifacts } from '../../control-plane/binaries.ts';
import { type GeneratedTree, generateTree, originAnnotation } from './generated-tree.ts';

const run = promisify(execFile);
const trees = 80;
/** So many are compared at least: of most trees every policy needs rendering. */
const leastTaken = 40;
/** A build takes a tenth of a second, and a tree has at most four. */
const timeoutMilliseconds = 120_000;
const given = 'given';
const options = {
  ...{ path: '', include: [], exclude: [], tenants: [], namespace: given },
  limits: defaultRepositoryLimits,
};

/** What a policy comes to: the parts that a kustomization may change. */
interface Placed {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: unknown;
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-kustomize-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

it(
  'takes a policy only as every kustomize build has it, and leaves out as unlisted what none has',
  async () => {
    let taken = 0;
    for (let seed = 1; seed <= trees; seed += 1) {
      const tree = generateTree(seed);
      const rendered = await build(seed, tree);
      const { documents, untaken } = read(tree);
      for (const { value, file } of documents) {
        const policy = value as unknown as Placed;
        const builds = rendered.filter((each) => originOf(each) === originOf(policy));
        expect({ seed, file, builds: builds.map(placed) }).toEqual({
          ...{ seed, file },
          builds: builds.map(() => placed(policy)),
        });
        taken += builds.length;
      }
      const unlisted = untaken.filter(({ reason }) => reason === 'NotListed').map(({ name }) => name);
      expect(rendered.filter((each) => unlisted.includes(originOf(each)))).toEqual([]);
    }
    expect(taken).toBeGreaterThan(leastTaken);
  },
  timeoutMilliseconds,
);

/** The autoscalers of all builds. */
async function build(seed: number, { files, tops }: GeneratedTree): Promise<readonly Placed[]> {
  const root = join(folder, String(seed));
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const kubectl = locateArtifacts()('kubectl');
  const outputs = await Promise.all(
    // What does not build, as with a patch of nothing, has nothing to compare with.
    tops.map((top) =>
      run(kubectl, ['kustomize', join(root, top)]).then(
        ({ stdout }) => stdout,
        () => '',
      ),
    ),
  );
  return outputs
    .flatMap((output) => parseAllDocuments(output))
    .map((document): unknown => document.toJS())
    .filter((value) => isAutoscaler(value));
}

function isAutoscaler(value: unknown): value is Placed {
  return (value as { readonly kind?: unknown } | null)?.kind === 'HorizontalPodAutoscaler';
}

function read({ files }: GeneratedTree): ReturnType<typeof readRepository> {
  const tree = [...files.keys()].map((path): TreeFile => ({ path, id: path, type: 'File' }));
  const content = ({ path }: TreeFile): FileContent => ({
    kind: 'Bytes',
    bytes: new TextEncoder().encode(files.get(path) ?? ''),
  });
  const overlays = readOverlays({ tree, content, options, ignoreFiles: [] });
  return readRepository({
    ...{ tree, content, options, overlays, ignoreFiles: [], readFile: readPolicyFile },
    filesInForce: new Set(),
  });
}

function originOf({ metadata }: Placed): string {
  return metadata.annotations?.[originAnnotation] ?? '';
}

function placed({ metadata: { name, namespace = given }, spec }: Placed): unknown {
  return { name, namespace, spec };
}
