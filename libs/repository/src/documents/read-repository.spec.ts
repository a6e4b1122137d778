import { describe, expect, it } from '@jest/globals';
import {
  defaultRepositoryLimits,
  type RepositoryOptions,
  type TenantOptions,
} from '../files/repository-options.ts';
import { listIgnoreFiles } from '../files/select-files.ts';
import type { FileContent, TreeFile } from '../files/tree-file.ts';
import { readOverlays } from '../kustomize/read-overlays.ts';
import { PolicyFileCache } from './policy-file-cache.ts';
import { readRepository } from './read-repository.ts';
import type { RepositoryReading } from './repository-reading.ts';

type Files = Readonly<Record<string, string>>;

interface Given {
  readonly files: Files;
  readonly options?: Partial<RepositoryOptions>;
  readonly types?: Readonly<Record<string, TreeFile['type']>>;
  readonly inForce?: readonly string[];
}

const encoder = new TextEncoder();

function read({ files, options = {}, types = {}, inForce = [] }: Given): RepositoryReading {
  const tree = Object.keys(files)
    .sort()
    .map((path): TreeFile => ({ path, id: path, type: types[path] ?? 'File' }));
  const full: RepositoryOptions = {
    path: '',
    include: [],
    exclude: [],
    tenants: [],
    limits: defaultRepositoryLimits,
    ...options,
  };
  const content = ({ path }: TreeFile): FileContent => {
    const bytes = encoder.encode(files[path] ?? '');
    return bytes.length > full.limits.fileBytes
      ? { kind: 'TooLarge', mentionsKind: (files[path] ?? '').includes('HorizontalPodAutoscaler') }
      : { kind: 'Bytes', bytes };
  };
  const ignoreFiles = listIgnoreFiles(tree).map(({ path }) => ({ path, text: files[path] ?? '' }));
  return readRepository({
    tree,
    content,
    ignoreFiles,
    overlays: readOverlays({ tree, content, options: full, ignoreFiles }),
    options: full,
    readFile: new PolicyFileCache().begin(),
    filesInForce: new Set(inForce),
  });
}

/** What was taken (`namespace/name`), what was not (`reason name`), and what was reported (`severity code tenant file`). */
function summary(given: Given) {
  const { documents, untaken, diagnostics } = read(given);
  return {
    taken: documents.map(({ role, namespace, name }) =>
      role === 'Policy' ? `${namespace}/${name}` : `${role} ${name}`,
    ),
    untaken: untaken.map(({ reason, name }) => `${reason} ${name}`),
    reported: diagnostics
      .filter(({ code }) => code !== 'NotListed' && code !== 'NeedsRendering')
      .map(
        ({ severity, code, file, tenant }) =>
          `${severity} ${code} ${file}${tenant === '' ? '' : ` (${tenant})`}`,
      ),
  };
}

const hpa = (name: string, namespace?: string): string => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ${name}
${namespace === undefined ? '' : `  namespace: ${namespace}\n`}spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}
  maxReplicas: 3
`;

const taken = (...names: string[]) => ({ taken: names, untaken: [], reported: [] });
const a = hpa('a', 'shop');

interface Case {
  readonly name: string;
  readonly given: Given;
  readonly want: ReturnType<typeof summary>;
}

describe('what is read', () => {
  it.each<Case>([
    {
      name: 'reads .yaml and .yml anywhere, and nothing else',
      given: {
        files: { 'x/a.yaml': a, 'b.yml': hpa('b', 'shop'), 'c.json': hpa('c'), 'd.yaml.tpl': hpa('d') },
      },
      want: taken('shop/b', 'shop/a'),
    },
    {
      name: 'stays below path',
      given: {
        files: { 'prod/a.yaml': a, 'production/b.yaml': hpa('b', 'shop'), 'c.yaml': hpa('c', 'shop') },
        options: { path: './prod/' },
      },
      want: taken('shop/a'),
    },
    {
      name: 'reads what include names, without what exclude names',
      given: {
        files: { 'p/a.yaml': a, 'p/old/b.yaml': hpa('b', 'shop'), 'q/c.yaml': hpa('c', 'shop') },
        options: { include: ['p/**'], exclude: ['old'] },
      },
      want: taken('shop/a'),
    },
    {
      name: 'follows .plimsollignore from the root down, negations included',
      given: {
        files: {
          '.plimsollignore': '/x/\n*.dev.yaml\n',
          'x/a.yaml': a,
          'y/a.dev.yaml': a,
          'y/b.dev.yaml': hpa('b', 'shop'),
          'y/.plimsollignore': '!b.dev.yaml\n',
          'x/.plimsollignore': '!a.yaml\n',
        },
      },
      want: taken('shop/b'),
    },
    {
      name: 'never reads dot folders and templates beside a chart, whatever a negation says',
      given: {
        files: {
          '.plimsollignore': '!**\n',
          '.github/a.yaml': a,
          'x/.hidden/a.yaml': a,
          'chart/Chart.yaml': 'name: chart\n',
          'chart/templates/deep/a.yaml': a,
          'templates/b.yaml': hpa('b', 'shop'),
          '.top.yaml': hpa('c', 'shop'),
        },
      },
      want: taken('shop/c', 'shop/b'),
    },
    {
      name: 'never reads symbolic links and submodules',
      given: {
        files: { 'a.yaml': a, 'b.yaml': hpa('b', 'shop') },
        types: { 'a.yaml': 'SymbolicLink', 'b.yaml': 'Submodule' },
      },
      want: taken(),
    },
    {
      name: 'does not parse a file that names nothing of ours',
      given: { files: { 'a.yaml': '{{ broken', 'b.yaml': hpa('b', 'shop') } },
      want: taken('shop/b'),
    },
    {
      name: 'says an error for a broken file that names one of our kinds, a warning for any other',
      given: { files: { 'a.yaml': 'kind: HorizontalPodAutoscaler\nx: [', 'b.yaml': 'autoscaling/ {{ : [' } },
      want: {
        taken: [],
        untaken: ['Unreadable '],
        reported: ['error Syntax a.yaml', 'warning Syntax b.yaml'],
      },
    },
    {
      name: 'reports everything that is wrong with a document that cannot be used, but nothing that defaults may fill in',
      given: {
        files: {
          'a.yaml':
            'apiVersion: plimsoll.dev/v1alpha1\nkind: AutoscalingPolicy\nmetadata: {name: a}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, minReplicas: 010, x: 1}\n',
        },
      },
      want: {
        taken: [],
        untaken: ['Unreadable a'],
        reported: ['error AmbiguousScalar a.yaml', 'error UnknownField a.yaml'],
      },
    },
    {
      name: 'makes nothing of a document that ends in a syntax error, and reads the others of its file',
      given: { files: { 'a.yaml': `${a}  x: {y: [\n---\n${hpa('b', 'shop')}` } },
      want: {
        taken: ['shop/b'],
        untaken: ['Unreadable ', 'Unreadable a'],
        reported: ['error Syntax a.yaml'],
      },
    },
    {
      name: 'says an error for a broken file that held a policy in force',
      given: { files: { 'a.yaml': 'x: [' }, inForce: ['a.yaml'] },
      want: { taken: [], untaken: ['Unreadable '], reported: ['error Syntax a.yaml'] },
    },
    {
      name: 'says an error for an ignore file with more rules than are read',
      given: { files: { 'a.yaml': a, '.plimsollignore': 'x\n'.repeat(1_001) } },
      want: { taken: ['shop/a'], untaken: [], reported: ['error TooLarge .plimsollignore'] },
    },
    {
      name: 'counts neither comments nor empty lines of an ignore file',
      given: { files: { 'a.yaml': a, '.plimsollignore': `${'# x\n\n'.repeat(1_001)}x` } },
      want: taken('shop/a'),
    },
    {
      name: 'says an error for a file over the limit that names one of our kinds, a warning for any other',
      given: {
        files: { 'a.yaml': `${a}#${'x'.repeat(500)}`, 'b.yaml': `x: ${'y'.repeat(600)}` },
        options: { limits: { ...defaultRepositoryLimits, fileBytes: 500 } },
      },
      want: {
        taken: [],
        untaken: ['Unreadable '],
        reported: ['error TooLarge a.yaml', 'warning TooLarge b.yaml'],
      },
    },
    {
      name: 'takes a List as its items, and counts other kinds',
      given: {
        files: {
          'a.yaml': `apiVersion: v1\nkind: List\nitems:\n- ${a.trim().replaceAll('\n', '\n  ')}\n- {apiVersion: v1, kind: Service, metadata: {name: x}}\n`,
        },
      },
      want: taken('shop/a'),
    },
    {
      name: 'says an error for a removed version',
      given: { files: { 'a.yaml': a.replace('autoscaling/v2', 'extensions/v1beta1') } },
      want: { taken: [], untaken: ['Unreadable a'], reported: ['error RemovedVersion a.yaml'] },
    },
    ...['HorizontalPodAutoscaler', 'WatermarkPodAutoscaler', 'AutoscalingPolicy'].map((kind) => ({
      name: `says an error for a ${kind} without an apiVersion`,
      given: { files: { 'a.yaml': `kind: ${kind}\nmetadata: {name: a, namespace: shop}\nspec: {}\n` } },
      want: { taken: [], untaken: ['Unreadable a'], reported: ['error Required a.yaml'] },
    })),
    {
      name: 'says an error for a list of documents that is no List',
      given: { files: { 'a.yaml': `- ${a.trim().replaceAll('\n', '\n  ')}\n- {kind: Service}\n` } },
      want: { taken: [], untaken: ['Unreadable '], reported: ['error Syntax a.yaml'] },
    },
    {
      name: 'says nothing of a list that only refers to autoscalers',
      given: {
        files: { 'a.yaml': '- {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: web}\n' },
      },
      want: taken(),
    },
  ])('$name', ({ given, want }) => {
    expect(summary(given)).toEqual(want);
  });
});

const k = (...lines: string[]): string => ['kind: Kustomization', ...lines, ''].join('\n');

describe('kustomizations', () => {
  it.each<Case>([
    {
      name: 'gives a listed resource its namespace, which wins over its own',
      given: {
        files: { 'x/kustomization.yaml': k('namespace: prod', 'resources: [a.yaml]'), 'x/a.yaml': a },
      },
      want: taken('prod/a'),
    },
    {
      name: 'does not take what none lists, also below',
      given: {
        files: {
          'x/kustomization.yaml': k('resources: [a.yaml]'),
          'x/a.yaml': a,
          'x/y/b.yaml': hpa('b', 'shop'),
        },
      },
      want: { taken: ['shop/a'], untaken: ['NotListed b'], reported: [] },
    },
    {
      name: 'knows a patch by its listing',
      given: {
        files: {
          'x/kustomization.yaml': k('resources: [a.yaml]', 'patchesStrategicMerge: [p.yaml]'),
          'x/a.yaml': a,
          'x/p.yaml': hpa('a'),
        },
      },
      want: { taken: [], untaken: ['NeedsRendering a', 'Patch a'], reported: [] },
    },
    {
      name: 'takes a base whose overlays end in one namespace',
      given: {
        files: {
          'base/kustomization.yaml': k('namespace: base', 'resources: [a.yaml]'),
          'base/a.yaml': a,
          'o/one/kustomization.yaml': k('namespace: prod', 'resources: [../../base]'),
          'o/two/kustomization.yaml': k('namespace: prod', 'bases: [../../base]'),
        },
      },
      want: taken('prod/a'),
    },
    {
      name: 'does not take a base whose overlays end in different namespaces',
      given: {
        files: {
          'base/kustomization.yaml': k('resources: [a.yaml]'),
          'base/a.yaml': a,
          'o/one/kustomization.yaml': k('namespace: one', 'resources: [../../base]'),
          'o/two/kustomization.yaml': k('namespace: two', 'resources: [../../base]'),
        },
      },
      want: { taken: [], untaken: ['NeedsRendering a'], reported: [] },
    },
    {
      name: 'takes it where the other overlay is excluded',
      given: {
        files: {
          'base/kustomization.yaml': k('resources: [a.yaml]'),
          'base/a.yaml': a,
          'o/one/kustomization.yaml': k('namespace: one', 'resources: [../../base]'),
          'o/two/kustomization.yaml': k('namespace: two', 'resources: [../../base]'),
        },
        options: { exclude: ['o/two'] },
      },
      want: taken('one/a'),
    },
    {
      name: 'gets no namespace from a kustomization above path',
      given: {
        files: {
          'kustomization.yaml': k('namespace: above', 'resources: [x]'),
          'x/kustomization.yaml': k('resources: [a.yaml]'),
          'x/a.yaml': a,
        },
        options: { path: 'x' },
      },
      want: taken('shop/a'),
    },
    {
      name: 'sees the patch of an overlay that is excluded',
      given: {
        files: {
          'base/kustomization.yaml': k('resources: [a.yaml]'),
          'base/a.yaml': a,
          'o/kustomization.yaml': k(
            'resources: [../base]',
            'patches: [{patch: "x", target: {kind: HorizontalPodAutoscaler}}]',
          ),
        },
        options: { exclude: ['o'] },
      },
      want: { taken: [], untaken: ['NeedsRendering a'], reported: [] },
    },
    ...[
      ['of another kind', 'patches: [{path: p.yaml, target: {kind: Deployment}}]', true],
      ['of our kind', 'patches: [{path: p.yaml, target: {kind: HorizontalPodAutoscaler}}]', false],
      ['of a pattern', 'patches: [{path: p.yaml, target: {kind: ".*"}}]', false],
      ['of no kind', 'patches: [{path: p.yaml, target: {name: x}}]', false],
      ['without a target, of another kind', 'patches: [{path: p.yaml}]', true],
      ['inline, of our kind', 'patches: [{patch: "kind: HorizontalPodAutoscaler"}]', false],
      ['inline, of another kind', 'patches: [{patch: "kind: Deployment"}]', true],
      ['that is not there', 'patches: [{path: q.yaml}]', false],
      ['of JSON 6902 without a target', 'patchesJson6902: [{path: p.yaml}]', true],
      ['by a prefix', 'namePrefix: x-', false],
      ['by a suffix', 'nameSuffix: -x', false],
      ['by components', 'components: [../c]', false],
      ['by replacements', 'replacements: [{path: r.yaml}]', false],
      ['by vars', 'vars: [{name: X}]', false],
      ['by transformers', 'transformers: [t.yaml]', false],
      ['by generators', 'generators: [g.yaml]', false],
      ['by configurations', 'configurations: [c.yaml]', false],
      ['by openapi', 'openapi: {path: o.json}', false],
      ['by an empty list of patches', 'patches: []', true],
    ].map(([name, line, isTaken]): Case => ({
      name: `judges a patch ${String(name)}`,
      given: {
        files: {
          'x/kustomization.yaml': k('resources: [a.yaml]', String(line)),
          'x/a.yaml': a,
          'x/p.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: autoscaling/}\n',
        },
      },
      want:
        isTaken === true
          ? taken('shop/a')
          : { taken: [], untaken: ['NeedsRendering a'], reported: expect.anything() as unknown as string[] },
    })),
    {
      name: 'does not take what a kustomization with remote resources lists',
      given: {
        files: {
          'x/kustomization.yaml': k('resources: [a.yaml, "https://github.com/o/r//x?ref=v1"]'),
          'x/a.yaml': a,
        },
      },
      want: { taken: [], untaken: ['NeedsRendering a'], reported: [] },
    },
    {
      name: 'warns of a cycle, a missing file and a path above the repository',
      given: {
        files: {
          'x/kustomization.yaml': k('resources: [a.yaml, ../y, gone.yaml, ../../z]'),
          'x/a.yaml': a,
          'y/kustomization.yaml': k('resources: [../x]'),
        },
      },
      want: {
        taken: [],
        untaken: ['NeedsRendering a'],
        reported: [
          'warning OutsideRepository x/kustomization.yaml',
          'warning MissingResource x/kustomization.yaml',
          'warning KustomizationCycle x/kustomization.yaml',
          'warning KustomizationCycle y/kustomization.yaml',
        ],
      },
    },
    {
      name: 'takes nothing from a kustomization that cannot be read',
      given: { files: { 'x/kustomization.yaml': 'resources: [', 'x/a.yaml': a } },
      want: {
        taken: [],
        untaken: ['NeedsRendering a'],
        reported: ['warning KustomizationUnreadable x/kustomization.yaml'],
      },
    },
    {
      name: 'does not take what Flux transforms',
      given: {
        files: {
          'apps/a.yaml': a,
          'other/b.yaml': hpa('b', 'shop'),
          'flux.yaml':
            'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {path: ./apps, postBuild: {substitute: {X: y}}}\n',
        },
      },
      want: { taken: ['shop/b'], untaken: ['NeedsRendering a'], reported: [] },
    },
    {
      name: 'takes what Flux only deploys',
      given: {
        files: {
          'apps/a.yaml': a,
          'flux.yaml':
            'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {path: ./apps}\n',
        },
      },
      want: taken('shop/a'),
    },
    {
      name: 'does not take what Argo CD transforms, through the kustomization of its path',
      given: {
        files: {
          'base/kustomization.yaml': k('resources: [a.yaml]'),
          'base/a.yaml': a,
          'o/kustomization.yaml': k('resources: [../base]'),
          'argo.yaml':
            'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: o}\nspec: {source: {path: o, kustomize: {namePrefix: x-}}}\n',
        },
      },
      want: { taken: [], untaken: ['NeedsRendering a'], reported: [] },
    },
  ])('$name', ({ given, want }) => {
    expect(summary(given)).toEqual(want);
  });

  it('applies labels and annotations', () => {
    const [document] = read({
      files: {
        'x/kustomization.yaml': k(
          'resources: [a.yaml]',
          'commonLabels: {team: shop}',
          'labels: [{pairs: {tier: web}}]',
          'commonAnnotations: {note: here}',
        ),
        'x/a.yaml': a,
      },
    }).documents;
    expect(document?.value['metadata']).toEqual({
      name: 'a',
      namespace: 'shop',
      labels: { team: 'shop', tier: 'web' },
      annotations: { note: 'here' },
    });
  });
});

const tenants: readonly TenantOptions[] = [
  { name: 'shop', path: 'teams/shop', namespace: 'shop' },
  { name: 'pay', path: 'teams/pay*' },
];

describe('tenants and namespaces', () => {
  it.each([
    { name: 'a warning', outside: 'warning' },
    { name: 'an error, where namespaces are strict', outside: 'error' },
  ] as const)(
    'a policy outside the managed namespaces is not taken: $name, at its namespace',
    ({ outside }) => {
      const managed = { namespaces: ['a', 'b', 'c', 'd', 'e', 'shop'], outside };
      const files = {
        'a.yaml': hpa('a', 'shop'),
        'b.yaml': hpa('b', 'pay'),
        'c/kustomization.yaml': 'namespace: pay\nresources: [c.yaml]\n',
        'c/c.yaml': hpa('c', 'shop'),
        'd.yaml': hpa('d', '"${NAMESPACE}"'),
        'e.yaml': `${hpa('e', 'pay')}  maxReplicas: 4\n`,
      };
      const { documents, untaken, diagnostics } = read({ files, options: { managed } });
      expect(documents.map(({ name, namespace }) => `${namespace}/${name}`)).toEqual([
        'shop/a',
        '${NAMESPACE}/d',
      ]);
      expect(untaken.map(({ name, reason }) => `${reason} ${name}`)).toEqual([
        'NamespaceNotManaged b',
        'NamespaceNotManaged c',
        'Unreadable e',
      ]);
      const found = diagnostics.filter(({ code }) => code === 'NamespaceNotManaged');
      expect(
        found.map(({ severity, file, line, column }) => `${severity} ${file}:${line}:${column}`),
      ).toEqual([`${outside} b.yaml:5:3`, `${outside} c/c.yaml:5:3`]);
      expect(found[0]?.message).toBe(
        'HorizontalPodAutoscaler pay/b is not taken: this controller manages a, b, c, d, e and 1 more',
      );
      expect(untaken.map(({ unmanagedNamespace = '-' }) => unmanagedNamespace)).toEqual(['pay', 'pay', '-']);
    },
  );

  it.each([
    { name: 'its tenant', file: 'teams/shop/a.yaml', want: 'did you mean shop? else add' },
    { name: 'the controller', file: 'a.yaml', want: 'did you mean shp? else add' },
    { name: 'neither', file: 'a.yaml', namespace: 'media', want: 'add the namespace' },
    {
      name: 'its tenant, and is one',
      file: 'teams/shop/a.yaml',
      namespace: 'shop',
      want: 'add the namespace',
    },
  ])('a namespace that is not managed is compared with those of $name', ({ file, namespace, want }) => {
    const { diagnostics } = read({
      files: { [file]: hpa('a', namespace ?? 'shpo') },
      options: {
        managed: { namespaces: ['pay', 'shp', 'shop-b'], outside: 'warning' },
        tenants: [{ name: 'shop', path: 'teams/shop', namespaces: ['shop'] }],
      },
    });
    expect(diagnostics.map(({ hint }) => hint)).toEqual([
      expect.stringMatching(`^${want.replace('?', '\\?')}`),
    ]);
  });

  it.each<Case>([
    {
      name: 'takes the namespace of the document, its tenant, its source, in this order',
      given: {
        files: {
          'teams/shop/a.yaml': hpa('a', 'own'),
          'teams/shop/b.yaml': hpa('b'),
          'teams/payments/c.yaml': hpa('c'),
        },
        options: { tenants, namespace: 'source' },
      },
      want: taken('source/c', 'own/a', 'shop/b'),
    },
    {
      name: 'has no default namespace',
      given: { files: { 'a.yaml': hpa('a') } },
      want: taken('/a'),
    },
    {
      name: 'says an error of the tenant whose kustomization lists a policy of another',
      given: {
        files: {
          'teams/shop/a.yaml': hpa('a'),
          'teams/pay/kustomization.yaml': k('namespace: stolen', 'resources: [../shop/a.yaml]'),
        },
        options: { tenants },
      },
      want: {
        taken: ['shop/a'],
        untaken: [],
        reported: ['error ForeignResource teams/pay/kustomization.yaml (pay)'],
      },
    },
    {
      name: 'says the same where it lists the folder that the policy is listed in',
      given: {
        files: {
          'teams/shop/a.yaml': hpa('a'),
          'teams/shop/kustomization.yaml': k('resources: [a.yaml]'),
          'teams/pay/kustomization.yaml': k('namespace: stolen', 'namePrefix: x-', 'resources: [../shop]'),
        },
        options: { tenants },
      },
      want: {
        taken: ['shop/a'],
        untaken: [],
        reported: ['error ForeignResource teams/pay/kustomization.yaml (pay)'],
      },
    },
    {
      name: 'lets a kustomization outside all tenants give a namespace',
      given: {
        files: {
          'teams/shop/a.yaml': hpa('a'),
          'top/kustomization.yaml': k('namespace: top', 'resources: [../teams/shop/a.yaml]'),
        },
        options: { tenants },
      },
      want: taken('top/a'),
    },
  ])('$name', ({ given, want }) => {
    expect(summary(given)).toEqual(want);
  });
});
