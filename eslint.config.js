import prettier from 'eslint-config-prettier';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import regexp from 'eslint-plugin-regexp';
import importSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';
import pureLibs from './scripts/pure-libs.json' with { type: 'json' };

const pureSources = pureLibs.map((lib) => `libs/${lib}/src/**/*.ts`);

/** One hand: what would otherwise be written in two ways. */
const oneHand = [
  {
    selector:
      ':matches(PropertyDefinition, MethodDefinition[kind!="constructor"], TSParameterProperty)[accessibility]',
    message: 'A private member is #private; a constructor parameter is assigned by hand.',
  },
  {
    selector: 'Identifier[name=/[a-z]Ms$/][name!=/^[cm]timeMs$/]',
    message: 'Units are written out: Milliseconds.',
  },
];
const impure = ['process', 'fetch', 'console', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/', 'test/control-plane/**/*.go', '**/*.generated.ts'] },
  ...tseslint.configs.strictTypeChecked,
  prettier,
  {
    plugins: { 'import-sort': importSort, regexp },
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.js', '.dependency-cruiser.mjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 3],
      complexity: ['error', 10],
      eqeqeq: 'error',
      curly: ['error', 'multi-or-nest', 'consistent'],
      'import-sort/imports': ['error', { groups: [['^node:', '^@?\\w', '^#', '^\\.']] }],
      'import-sort/exports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',

      // A pattern over outside text takes linear time.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],

      'no-restricted-syntax': ['error', ...oneHand],
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'variable', format: ['camelCase', 'PascalCase'], leadingUnderscore: 'forbid' },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allow: [{ name: 'bigint', from: 'lib' }] },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    // Nest's decorated classes describe shapes; the values are plain objects.
    files: ['apps/controller/src/**/*.ts', 'test/integration/application/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
    },
  },
  {
    files: pureSources,
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': ['error', ...impure],
      'no-restricted-syntax': [
        'error',
        ...oneHand,
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Time is a value in the observation.',
        },
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'Time is a value in the observation.',
        },
        {
          selector: "MemberExpression[object.name='Math'][property.name='random']",
          message: 'The core is deterministic.',
        },
      ],
    },
  },
  {
    files: ['apps/console/src/**/*.{ts,tsx}'],
    extends: [jsxA11y.flatConfigs.strict, reactHooks.configs.flat.recommended],
    // It says what the React compiler would leave as it is, and nothing here is compiled by it.
    rules: { 'react-hooks/incompatible-library': 'off' },
  },
  {
    files: ['apps/console/src/**/*.{ts,tsx}'],
    ignores: ['apps/console/src/components/states/lazy-part.tsx'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          name: 'react',
          importNames: ['lazy'],
          message: 'What cannot be loaded would take the whole page with it: lazyPart says so in its place.',
        },
      ],
    },
  },
  {
    files: ['**/*.port.ts'],
    rules: { '@typescript-eslint/method-signature-style': ['error', 'method'] },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts', 'scripts/**/*'],
    rules: {
      // A test's patterns meet its own texts.
      'regexp/no-super-linear-backtracking': 'off',
      'regexp/no-super-linear-move': 'off',
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.cjs', '**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
);
