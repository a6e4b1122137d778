import { describe, expect, it } from '@jest/globals';
import { readPolicyFile } from '#policy';
import { readRepository } from '../documents/read-repository.ts';
import type { RepositoryReading } from '../documents/repository-reading.ts';
import { defaultRepositoryLimits, type RepositoryOptions } from '../files/repository-options.ts';
import type { FileContent, TreeFile } from '../files/tree-file.ts';
import { readOverlays } from './read-overlays.ts';

type Files = Readonly<Record<string, string>>;

const options = {
  path: '',
  include: [],
  exclude: [],
  tenants: [],
  limits: defaultRepositoryLimits,
  namespace: 'given',
};
const encoder = new TextEncoder();

/** `namespace/name` of what is taken, and what is reported of the rest. */
function judged(files: Files): readonly string[] {
  const { documents, diagnostics } = read(files);
  return [
    ...documents.map(({ namespace, name }) => `${namespace}/${name}`),
    ...diagnostics.map(({ code, message }) => `${code}: ${message.replace(/.* is not taken: /, '')}`),
  ];
}

function read(files: Files, change: Partial<RepositoryOptions> = {}): RepositoryReading {
  const tree = Object.entries(files).map(([path, text]): TreeFile => ({
    path,
    id: path,
    type: text === symbolicLink ? 'SymbolicLink' : 'File',
  }));
  const content = ({ path }: TreeFile): FileContent => ({
    kind: 'Bytes',
    bytes: encoder.encode(files[path] ?? ''),
  });
  const given = { tree, content, options: { ...options, ...change }, ignoreFiles: [] };
  const overlays = readOverlays(given);
  return readRepository({
    ...{ ...given, overlays, readFile: readPolicyFile },
    filesInForce: new Set(),
  });
}

/** In place of a file's text. */
const symbolicLink = '-> elsewhere';

const hpa = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: api}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: api}
  maxReplicas: 3
`;

/** An overlay with one more text on a base that lists one policy. */
const overlaid = (text: string, more: Files = {}): Files => ({
  'base/kustomization.yaml': 'resources: [hpa.yaml]\n',
  'base/hpa.yaml': hpa,
  'prod/kustomization.yaml': `resources: [../base]\nnamespace: prod\n${text}`,
  ...more,
});

const flux = (spec: string): string =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\n${spec}\n`;

interface Case {
  readonly name: string;
  readonly given: Files;
  readonly want: readonly unknown[];
}

const patched = ['NeedsRendering: prod/kustomization.yaml patches policies'];
const deployment = (name: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec: {replicas: 3}\n`;
const indented = (text: string): string => text.replaceAll(/^/gm, '    ');

describe('what kustomizations do, as kustomize build shows it', () => {
  it.each<Case>([
    {
      name: 'sees a policy in the second document of an inline patch',
      given: overlaid(`patches:\n- patch: |\n${indented(`${deployment('api')}---\n${hpa}`)}\n`),
      want: patched,
    },
    {
      name: 'sees a policy in the second document of an inline strategic merge patch',
      given: overlaid(`patchesStrategicMerge:\n- |\n${indented(`${deployment('api')}---\n${hpa}`)}\n`),
      want: patched,
    },
    {
      name: 'takes what only other kinds are patched beside, in several documents',
      given: overlaid(
        `patches:\n- patch: |\n${indented(`${deployment('a')}---\n${deployment('b')}`)}\n- path: p.yaml\n`,
        { 'prod/p.yaml': `# why\n---\n${deployment('a')}---\n` },
      ),
      want: ['prod/api'],
    },
    {
      name: 'does not carry out labels that reach into a spec',
      given: overlaid('labels:\n- pairs: {a: b}\n  fields: [{path: spec/labels, create: true}]\n'),
      want: ['NeedsRendering: prod/kustomization.yaml has labels with fields'],
    },
    {
      name: 'does not take a resource of a component that no kustomization includes',
      given: {
        'hpa/kustomization.yaml':
          'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [a.yaml]\n',
        'hpa/a.yaml': hpa,
      },
      want: ['NeedsRendering: hpa/kustomization.yaml is a component, and deploys nothing by itself'],
    },
    {
      name: 'takes the namespace of a kustomization without a YAML name, alone in its folder',
      given: {
        'base/kustomization.yaml': 'resources: [hpa.yaml]\n',
        'base/hpa.yaml': hpa,
        'prod/Kustomization': 'resources: [../base]\nnamespace: prod\n',
      },
      want: ['prod/api'],
    },
    {
      name: 'takes a policy that one way up puts where it is anyway',
      given: {
        ...overlaid(''),
        'base/hpa.yaml': hpa.replace('name: api}', 'name: api, namespace: prod}'),
        'eu/kustomization.yaml': 'resources: [../base]\n',
      },
      want: ['prod/api'],
    },
    {
      name: 'takes an empty namespace of a document for none',
      given: {
        ...overlaid(''),
        'base/hpa.yaml': hpa.replace('name: api}', "name: api, namespace: ''}"),
        'prod/kustomization.yaml': 'resources: [../base]\nnamespace: given\n',
        'eu/kustomization.yaml': 'resources: [../base]\n',
      },
      want: ['given/api'],
    },
    ...[
      { namespace: '5', why: 'namespace must be a string, is 5' },
      { namespace: '[prod]', why: 'namespace must be a string, is a list' },
      { namespace: 'on', why: 'kubectl and YAML 1.2 read "on" differently' },
      { namespace: 'prod\nnamespace: eu', why: 'the key "namespace" stands on line 2 and again on line 3' },
    ].map(({ namespace, why }): Case => ({
      name: `takes nothing by a kustomization whose namespace is not clear: ${JSON.stringify(namespace)}`,
      given: {
        ...overlaid(''),
        'prod/kustomization.yaml': `resources: [../base]\nnamespace: ${namespace}\n`,
      },
      want: [
        `KustomizationUnreadable: the kustomization cannot be read: ${why}; nothing it reaches is taken`,
        'NeedsRendering: prod/kustomization.yaml cannot be read',
      ],
    })),
    {
      name: 'takes nothing that a kustomization with wrong syntax lists, as far as that can be seen',
      given: {
        ...overlaid(''),
        'prod/kustomization.yaml': 'resources: [../base, ../gone]\nnamespace: [\n',
      },
      want: [
        expect.stringMatching(/^KustomizationUnreadable: .*; nothing it reaches is taken$/),
        'NeedsRendering: prod/kustomization.yaml cannot be read',
      ],
    },
    ...[
      { text: 'resources: ../base\n', why: 'resources must be a list, is "../base"' },
      { text: 'resources:\n- ../base:\n', why: 'an item of resources must be a path, is a map' },
      { text: 'resource: [../base]\n', why: '"resource" is no field; did you mean resources?' },
      { text: 'resources: [../base]\nnamespce: x\n', why: '"namespce" is no field; did you mean namespace?' },
      { text: 'resources: [../base]\npatches: {path: p}\n', why: 'patches must be a list, is a map' },
      { text: 'resources: [../base]\npatches: [5]\n', why: 'an item of patches must be a map, is 5' },
    ].map(({ text, why }): Case => ({
      name: `reads no kustomization that kustomize refuses: ${JSON.stringify(text)}`,
      given: { 'k/kustomization.yaml': text, 'k/a.yaml': hpa },
      want: [
        `KustomizationUnreadable: the kustomization cannot be read: ${why}; nothing it reaches is taken`,
        'NeedsRendering: k/kustomization.yaml cannot be read',
      ],
    })),
    {
      name: 'takes fields that it does not know, and lists that are empty',
      given: overlaid('imagesOfTomorrow: [{a: b}]\npatches: []\npatchesJson6902:\nhelmCharts: [{name: x}]\n'),
      want: ['prod/api'],
    },
    {
      name: 'takes texts in patches for files of patches',
      given: overlaid('patches: [p.yaml]\n', { 'prod/p.yaml': deployment('api') }),
      want: ['prod/api'],
    },
    {
      name: 'takes no patch that a kustomization with wrong syntax lists, as far as that can be seen',
      given: { 'a/p.yaml': hpa, 'b/kustomization.yaml': 'patches: [{path: ../a/p.yaml}]\nresources: [\n' },
      want: [expect.stringMatching(/^KustomizationUnreadable: /)],
    },
    {
      name: 'does not take one that a way up moves, and another leaves where it is',
      given: { ...overlaid(''), 'eu/kustomization.yaml': 'resources: [../base]\n' },
      want: ['NeedsRendering: its ways up end in different namespaces (prod, given)'],
    },
    {
      name: 'does not take a Flux Kustomization for a kustomization, whatever its file is called',
      given: {
        'apps/kustomization.yaml': flux('spec: {path: ./elsewhere, targetNamespace: x}'),
        'apps/hpa.yaml': hpa,
      },
      want: ['given/api'],
    },
    {
      name: 'takes a Flux Kustomization without a path for one of the whole repository',
      given: {
        'flux.yaml': flux('spec: {sourceRef: {kind: GitRepository, name: x}, targetNamespace: x}'),
        'hpa.yaml': hpa,
      },
      want: ['NeedsRendering: Kustomization apps (flux.yaml) deploys it with targetNamespace'],
    },
    {
      name: 'follows the path of a Flux Kustomization up and down',
      given: {
        'flux.yaml': flux('spec: {path: ./clusters/../apps, targetNamespace: x}'),
        'apps/hpa.yaml': hpa,
      },
      want: ['NeedsRendering: Kustomization apps (flux.yaml) deploys it with targetNamespace'],
    },
    {
      name: 'takes a placeholder in the path of a Flux Kustomization for any folder',
      given: {
        'flux.yaml': flux('spec: {path: "./apps/${CLUSTER}/shop", postBuild: {substitute: {A: b}}}'),
        'apps/prod/shop/hpa.yaml': hpa,
        'apps/prod/other/hpa.yaml': hpa.replaceAll('name: api', 'name: other'),
      },
      want: ['given/other', 'NeedsRendering: Kustomization apps (flux.yaml) deploys it with postBuild'],
    },
    {
      name: 'sees that Flux deploys a kustomization below its path, whatever that lists',
      given: {
        ...overlaid(''),
        'flux.yaml': flux('spec: {path: ./prod, targetNamespace: x}'),
        'prod/kustomization.yaml': '',
        'prod/eu/kustomization.yaml': 'resources: [../../base]\n',
      },
      want: ['NeedsRendering: Kustomization apps (flux.yaml) deploys it with targetNamespace'],
    },
    {
      name: 'does not take a patch of Flux Kustomizations for one',
      given: {
        'hpa.yaml': hpa,
        'clusters/kustomization.yaml': 'patches:\n- path: flux.yaml\n  target: {kind: Kustomization}\n',
        'clusters/flux.yaml': flux('spec: {path: ./, postBuild: {substitute: {A: b}}}'),
      },
      want: ['given/api'],
    },
    {
      name: 'says that a listed symbolic link is not followed',
      given: { 'prod/kustomization.yaml': 'resources: [base]\n', 'prod/base': symbolicLink },
      want: ['SymbolicLink: resource prod/base is a symbolic link, which is not followed'],
    },
    {
      name: 'says that a patch is not there, and takes nothing that it may reach',
      given: overlaid('patches:\n- path: gone.yaml\n'),
      want: ['MissingResource: patch prod/gone.yaml is not there', ...patched],
    },
  ])('$name', ({ given, want }) => {
    expect(judged(given)).toEqual(want);
  });

  it('warns of two kustomizations in a folder, and reads the one that kustomize names first', () => {
    expect(
      judged({
        'a/Kustomization': 'namespace: wrong\n',
        'a/kustomization.yml': 'resources: [hpa.yaml]\n',
        'a/hpa.yaml': hpa,
      }),
    ).toEqual([
      'given/api',
      'SeveralKustomizations: a/Kustomization is beside it and is not read: kustomize refuses two',
    ]);
  });

  it('takes an object of Flux beside a kustomization for no second one', () => {
    const flux =
      'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: ./b}\n';
    const files = {
      'a/kustomization.yaml': flux,
      'a/Kustomization': 'resources: [hpa.yaml]\n',
      'a/hpa.yaml': hpa,
    };
    expect(judged(files)).toEqual(['given/api']);
  });

  it('warns at every kustomization of a circle', () => {
    expect(
      judged({
        'a/kustomization.yaml': 'resources: [../b, hpa.yaml]\n',
        'b/kustomization.yaml': 'resources: [../c]\n',
        'c/kustomization.yaml': 'resources: [../a]\n',
        'd/kustomization.yaml': 'resources: [../a]\n',
        'a/hpa.yaml': hpa,
      }),
    ).toEqual([
      'KustomizationCycle: it lists b/kustomization.yaml, which lists it in turn',
      'KustomizationCycle: it lists c/kustomization.yaml, which lists it in turn',
      'KustomizationCycle: it lists a/kustomization.yaml, which lists it in turn',
      'NeedsRendering: its kustomizations list each other in a circle, or too many of them',
    ]);
  });

  it('adds the labels and annotations that all ways up add', () => {
    const { documents } = read({
      ...overlaid('commonLabels: {team: a, env: prod}\ncommonAnnotations: {n: x}\n'),
      'eu/kustomization.yaml':
        'resources: [../base]\nnamespace: prod\nlabels: [{pairs: {team: a, env: eu}}]\n',
    });
    expect(documents.map(({ value }) => value['metadata'])).toEqual([
      { name: 'api', namespace: 'prod', labels: { team: 'a' } },
    ]);
  });

  it('lets commonLabels win over labels of one kustomization, as kustomize does', () => {
    const both = 'labels: [{pairs: {team: b, tier: web}}]\ncommonLabels: {team: a}\n';
    expect(read(overlaid(both)).documents.map(({ value }) => value['metadata'])).toEqual([
      { name: 'api', namespace: 'prod', labels: { team: 'a', tier: 'web' } },
    ]);
  });
});

describe('what is reported of kustomizations', () => {
  const files: Files = {
    'prod/kustomization.yaml': 'resources: [hpa.yaml, gone.yaml]\n',
    'prod/hpa.yaml': hpa,
    'clusters/eu/kustomization.yaml': 'resources: [../../prod, gone.yaml]\n',
    'patcher/kustomization.yaml': 'patches: [{path: ../prod/hpa.yaml}]\nresources: [gone.yaml]\n',
    'beside/kustomization.yaml': 'resources: [gone.yaml]\n',
    'beside/above/kustomization.yaml': 'resources: [..]\nbases: [../../gone]\n',
  };
  const reported = (change: Partial<RepositoryOptions>, ignored = ''): readonly string[] => {
    const tree = Object.keys(files).map((path): TreeFile => ({ path, id: path, type: 'File' }));
    const { diagnostics, missing } = readOverlays({
      tree,
      content: ({ path }) => ({ kind: 'Bytes', bytes: encoder.encode(files[path] ?? '') }),
      options: { ...options, ...change },
      ignoreFiles: ignored === '' ? [] : [{ path: '.plimsollignore', text: ignored }],
    });
    // What a policy in force needs to know is known, whatever is reported.
    expect(missing.size).toBe(5);
    return diagnostics.map(({ file }) => file).sort();
  };
  it('stands at the entry that it is about', () => {
    const tree = (text: string): readonly string[] => {
      const { diagnostics } = read({
        'a/kustomization.yaml': text,
        'a/hpa.yaml': hpa,
        'b/kustomization.yaml': 'resources:\n  - ../a\n',
        'a/link': symbolicLink,
      });
      return diagnostics
        .filter(({ file }) => file === 'a/kustomization.yaml')
        .map(({ code, line, column }) => `${line}:${column} ${code}`);
    };
    expect(
      tree(
        [
          'resources:',
          '  - hpa.yaml',
          '  - gone.yaml # why',
          '  - ../../outside',
          '  - link',
          '  - ../b',
          'components: [hpa.yaml, "gone"]',
          'patches:',
          '  - target: {kind: Deployment}',
          '    path: gone-patch.yaml',
          'patchesStrategicMerge:',
          '- gone-merge.yaml',
          '',
        ].join('\n'),
      ),
    ).toEqual([
      '10:5 MissingResource',
      '12:3 MissingResource',
      '4:5 OutsideRepository',
      '3:5 MissingResource',
      '5:5 SymbolicLink',
      '7:24 MissingResource',
      '6:5 KustomizationCycle',
    ]);
    expect(tree('resources:\n- hpa.yaml\n- [\n')).toEqual([
      expect.stringMatching(/^[34]:\d KustomizationUnreadable$/),
    ]);
    expect(tree('resources: [.]\n')).toEqual(['1:13 KustomizationCycle']);
  });

  it.each([
    { name: 'lists its file', text: 'resources: [hpa.yaml]\nnamespace: 5\n' },
    { name: 'is beside it', text: '- hpa.yaml\n' },
  ])('says what to repair of a document where the kustomization that $name cannot be read', ({ text }) => {
    const { diagnostics } = read({ 'k/kustomization.yaml': text, 'k/hpa.yaml': hpa });
    const hints = diagnostics.flatMap(({ code, hint }) => (code === 'NeedsRendering' ? [hint] : []));
    expect(hints).toEqual([
      'repair k/kustomization.yaml: KustomizationUnreadable says what is wrong with it',
    ]);
  });

  it("stands at the entry that reaches into another tenant's folder", () => {
    const foreign = read(
      {
        'a/kustomization.yaml': 'resources:\n- ../b\n',
        'b/kustomization.yaml': 'resources: [hpa.yaml]\n',
        'b/hpa.yaml': hpa,
      },
      {
        tenants: [
          { name: 'a', path: 'a' },
          { name: 'b', path: 'b' },
        ],
      },
    );
    expect(
      foreign.diagnostics.map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`),
    ).toEqual(['ForeignResource a/kustomization.yaml:2:3']);
  });

  const all = Object.keys(files)
    .filter((path) => path.endsWith('kustomization.yaml'))
    .sort();

  it.each<{ name: string; change: Partial<RepositoryOptions>; ignored?: string; want: readonly string[] }>([
    { name: 'all, where everything is read', change: {}, want: all },
    {
      name: 'those that list or patch what is below the path, by way of others too',
      change: { path: 'prod' },
      want: ['clusters/eu/kustomization.yaml', 'patcher/kustomization.yaml', 'prod/kustomization.yaml'],
    },
    {
      name: 'those that reach what is included',
      change: { include: ['prod'] },
      want: ['clusters/eu/kustomization.yaml', 'patcher/kustomization.yaml', 'prod/kustomization.yaml'],
    },
    {
      name: 'none that an ignore rule names, although it reaches the path',
      change: { path: 'prod' },
      ignored: 'patcher\nclusters\n',
      want: ['prod/kustomization.yaml'],
    },
    {
      name: 'none that is excluded',
      change: { exclude: ['clusters', 'beside'] },
      want: ['patcher/kustomization.yaml', 'prod/kustomization.yaml'],
    },
  ])('$name', ({ change, ignored, want }) => {
    expect(reported(change, ignored)).toEqual(want);
  });
});
