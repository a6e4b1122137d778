// Transpiles apps, libs and migrations into dist/, one file at a time, in about a second: `npm run types` is what
// checks types. Files whose source has gone are removed, so that dist/ is always the tree's image. The console is bundled
// beside it, where its sources have changed.
import { spawn } from 'node:child_process';
import { once as nextEvent } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isConsoleStale } from './build-console.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = ['apps', 'libs', 'migrations'];
const leftOut = /(\.spec|\.fake|\.fixture|\.d)\.ts$|\/testing\/|^apps\/console\//;

/** Brings dist/ up to date and returns how many files were written; `begins` is called where there is anything to do. */
export async function build(begins = () => undefined) {
  const told = once(begins);
  const [written] = await Promise.all([transpile(told), bundleConsole(told)]);
  return written;
}

function once(call) {
  let isCalled = false;
  return () => {
    if (!isCalled) call();
    isCalled = true;
  };
}

/** In a process of its own: a controller that runs in this one later keeps nothing of it in memory. */
async function bundleConsole(begins) {
  if (!(await isConsoleStale())) return;
  begins();
  const script = join(root, 'scripts/build-console.js');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await nextEvent(child, 'exit');
  if (code !== 0) throw new Error('the console could not be built');
}

/** All but the console, whose documents are made of the schema that the rest describes. */
export async function transpile(begins = () => undefined) {
  const files = (await Promise.all(sources.map((folder) => filesBelow(folder, '.ts')))).flat();
  const wanted = files.filter((file) => !leftOut.test(file));
  await removeStale(new Set(wanted.map(outputOf)));
  const stale = await staleOf(wanted);
  if (stale.length === 0) return 0;
  begins();
  // Loaded only where there is something to transpile: `npm start` of what is built keeps 25 MB less in memory.
  const { transform } = await import('@swc/core');
  const queue = [...stale];
  await Promise.all(Array.from({ length: cpus().length * 2 }, () => drain(queue, transform)));
  return stale.length;
}

function outputOf(file) {
  return join('dist', file.replace(/\.ts$/, '.js'));
}

async function filesBelow(folder, ending) {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !file.includes('node_modules'));
}

async function removeStale(outputs) {
  const built = (await Promise.all(sources.map((folder) => filesBelow(join('dist', folder), '.js')))).flat();
  const gone = built.filter((file) => !outputs.has(file));
  await Promise.all(
    gone.flatMap((file) => [file, `${file}.map`]).map((file) => rm(join(root, file), { force: true })),
  );
}

async function staleOf(files) {
  const checks = files.map(async (file) => {
    const [source, output] = await Promise.all([modifiedAt(file), modifiedAt(outputOf(file))]);
    return source >= output ? file : undefined;
  });
  return (await Promise.all(checks)).filter((file) => file !== undefined);
}

async function modifiedAt(file) {
  const found = await stat(join(root, file)).catch(() => undefined);
  return found === undefined ? 0 : found.mtimeMs;
}

async function drain(queue, transform) {
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) await compile(file, transform);
}

async function compile(file, transform) {
  const output = outputOf(file);
  const { code, map } = await transform(await readFile(join(root, file), 'utf8'), {
    filename: join(root, file),
    sourceFileName: join(root, file),
    swcrc: false,
    sourceMaps: true,
    module: { type: 'es6' },
    jsc: {
      target: 'es2024',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      rewriteRelativeImportExtensions: true,
      keepClassNames: true,
    },
  });
  await mkdir(join(root, dirname(output)), { recursive: true });
  await writeFile(join(root, `${output}.map`), map);
  await writeFile(join(root, output), `${code}//# sourceMappingURL=${output.split('/').pop()}.map\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = performance.now();
  const written = await build();
  console.log(`built ${written} files in ${Math.round(performance.now() - started)} ms`);
}
