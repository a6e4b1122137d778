// The layer rules of ARCHITECTURE.md: no arrow points right.
//   kernel ← policy ← decision ← ledger ← reconciliation ┐
//               └─── repository ←──────── git-sync ──────┼← adapter-* ← apps
//                                 ledger ← coordination ─┘
import pure from './scripts/pure-libs.json' with { type: 'json' };

/** What an adapter implements; configuration, contracts and report are for apps to read. */
const forApps = ['configuration', 'contracts', 'report'];
const ports = [...pure.filter((lib) => !forApps.includes(lib)), 'files'];
/**
 * Beside their indexes: what browsers verify with, and, for commands and pages that start at once, the words of the
 * contracts without their schemas, the units of a decision's sentences without the rules, and what differs between
 * documents without how they are read.
 */
const entry =
  '^libs/(?:[^/]+/src/index|ledger/src/verification|contracts/src/choices|decision/src/(?:condition-message|request-unit)|policy/src/diff/compare-documents)\\.ts$';
const testing = '^libs/[^/]+/src/testing/index\\.ts$';
const inTests = '(\\.spec\\.tsx?$|\\.fake\\.ts$|/testing/)';

const mayImport = {
  kernel: [],
  policy: ['kernel'],
  repository: ['kernel', 'policy'],
  decision: ['kernel', 'policy'],
  ledger: ['kernel', 'policy', 'decision'],
  coordination: ['kernel', 'ledger'],
  reconciliation: ['kernel', 'policy', 'decision', 'ledger'],
  'git-sync': ['kernel', 'policy', 'repository', 'ledger', 'reconciliation'],
  configuration: ['kernel', 'policy', 'repository', 'git-sync'],
  contracts: ['kernel'],
  report: ['kernel', 'ledger'],
  'adapter-git': ports,
  'adapter-kubernetes': ports,
  'adapter-metrics': ports,
  'adapter-parser': ports,
  'adapter-sql': ports,
  files: ['kernel'],
  simulator: ['kernel'],
};

const layerRules = Object.entries(mayImport).map(([lib, allowed]) => ({
  name: `layer-${lib}`,
  comment: `libs/${lib} may import ${allowed.length === 0 ? 'no other lib' : allowed.join(', ')} only`,
  severity: 'error',
  from: { path: `^libs/${lib}/`, pathNot: inTests },
  to: {
    path: '^(libs|apps)/',
    pathNot: [`^libs/${lib}/`, ...allowed.map((name) => `^libs/${name}/src/index\\.ts$`)],
  },
}));

/** The folders of the console: each may import those of the rows before it, and the types of the schema. */
const consoleFolders = [
  ['messages', 'state', 'styles'],
  ['api'],
  ['navigation'],
  ['components'],
  ['evaluation'],
  ['pages'],
  ['app', 'graphiql'],
];

const consoleRules = consoleFolders.flatMap((row, index) => {
  const before = consoleFolders.slice(0, index).flat();
  return row.map((folder) => ({
    name: `console-${folder}`,
    comment: `apps/console/src/${folder} may import ${before.length === 0 ? 'no other folder' : before.join(', ')} only`,
    severity: 'error',
    from: { path: `^apps/console/src/${folder}/` },
    to: {
      path: '^apps/console/src/',
      pathNot: [
        ...[folder, ...before].map((name) => `^apps/console/src/${name}/`),
        '^apps/console/src/schema\\.generated\\.ts$',
      ],
    },
  }));
});

export default {
  forbidden: [
    ...layerRules,
    ...consoleRules,
    {
      name: 'lib-through-index',
      comment:
        'a lib is imported only through its src/index.ts, the words of the contracts through src/choices.ts',
      severity: 'error',
      from: { path: '^(?:libs/([^/]+)|apps|test|scripts)/' },
      to: { path: '^libs/([^/]+)/', pathNot: ['^libs/$1/', entry, testing] },
    },
    {
      name: 'testing-in-tests-only',
      comment: 'fakes and builders never reach what runs in production',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: inTests },
      to: { path: '^libs/[^/]+/src/testing/|\\.fake\\.ts$' },
    },
    {
      name: 'pure-libs-use-no-node',
      comment: "pure libs touch no node:* module; the ledger's hash and signature are the exceptions",
      severity: 'error',
      from: {
        path: `^libs/(${pure.join('|')})/src/`,
        pathNot: [inTests, '^libs/ledger/src/(entries/hash|notes/note-signature)\\.ts$'],
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'nest-only-in-controller',
      severity: 'error',
      from: { pathNot: '^(apps/controller|test)/' },
      to: { path: 'node_modules/@nestjs/' },
    },
    {
      name: 'cli-loads-no-server',
      comment: 'the CLI starts fast because it never loads the server',
      severity: 'error',
      from: { path: '^apps/cli/' },
      to: { path: '^apps/controller/' },
    },
    {
      name: 'console-is-pure',
      comment:
        'the console runs in a browser: of the tree it may import pure libs only, and no node:* module',
      severity: 'error',
      from: { path: '^apps/console/src/', pathNot: inTests },
      to: { path: `^(apps/(?!console/)|libs/(?!(${pure.join('|')})/))`, dependencyTypesNot: ['core'] },
    },
    {
      name: 'console-first-view-is-small',
      comment:
        'what every page loads imports no lib but one file of sentences, and pages are loaded when they are gone to',
      severity: 'error',
      from: {
        path: '^apps/console/src/(main\\.tsx|(app|api|components|messages|navigation|state)/)',
        pathNot: inTests,
      },
      to: {
        path: '^(libs/(?!decision/src/request-unit\\.ts$)|apps/console/src/(pages|evaluation)/)',
        dependencyTypesNot: ['dynamic-import'],
      },
    },
    {
      name: 'console-decides-when-asked',
      comment: 'a page that decides, or reads policies, loads what does so lazily',
      severity: 'error',
      from: {
        path: '^apps/console/src/pages/(?!playground/)',
        pathNot: [inTests, '^apps/console/src/pages/policy/(versions\\.tsx|window-marks\\.ts)$'],
      },
      to: {
        path: '^(libs/(decision(?!/src/condition-message\\.ts$)|policy)/|apps/console/src/evaluation/)',
        dependencyTypesNot: ['dynamic-import'],
      },
    },
    {
      name: 'console-uses-no-node',
      severity: 'error',
      from: { path: '^apps/console/src/', pathNot: inTests },
      to: { dependencyTypes: ['core'] },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
};
