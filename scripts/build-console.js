// Builds apps/console into dist/console, and GraphiQL into a folder of it, with Vite, and compresses what it made. A build takes some seconds, so it is only
// made where a file that went into the last one is newer than it, or has come or gone. Started as a process of its own by
// build.js: a controller that is started after it keeps nothing of Vite in memory.
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = join(root, 'apps/console');
const output = join(root, 'dist/console');

/** Written last, so that a build that was cut short is made again. Outside dist/console, which is served. */
const record = join(root, 'dist/console.inputs.json');

/** Beside the modules: what decides how they are built. */
const alsoRead = ['package.json', 'package-lock.json', 'scripts/build-console.js'];

/** Whether dist/console is not the image of its sources. */
export async function isConsoleStale() {
  const built = await readFile(record, 'utf8').then(JSON.parse, () => null);
  if (built === null) return true;
  if (JSON.stringify(await ownFiles()) !== JSON.stringify(built.own)) return true;
  const { mtimeMs } = await stat(record);
  const times = await Promise.all(built.inputs.map((file) => modifiedAt(join(root, file))));
  return times.some((time) => time === undefined || time > mtimeMs);
}

async function ownFiles() {
  const entries = await readdir(sources, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.includes('.spec.'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();
}

function modifiedAt(file) {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

async function buildConsole() {
  // What starts the build, such as a test, may say otherwise: the pages would then be those for developers of React.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const started = performance.now();
  await rm(record, { force: true });
  const own = await ownFiles();
  const modules = new Set();
  const noteModules = { name: 'note-modules', moduleParsed: ({ id }) => void modules.add(id) };
  // The console's first: it empties the folder.
  for (const configFile of ['vite.config.js', 'graphiql.vite.config.js']) {
    await build({
      configFile: join(sources, configFile),
      logLevel: 'warn',
      plugins: [noteModules],
      worker: { plugins: () => [noteModules] },
    });
  }
  await compressAll();
  await writeDocuments(own.filter((file) => file.endsWith('.generated.ts')));
  const libs = [...modules]
    .map((id) => relative(root, id.split('?')[0]))
    .filter((file) => file.startsWith('libs/'));
  await writeFile(record, JSON.stringify({ own, inputs: [...own, ...alsoRead, ...libs] }));
  console.log(`built the console in ${Math.round(performance.now() - started)} ms`);
}

/** For the controller, which then knows each by its hash; written as urql's client writes them. */
async function writeDocuments(files) {
  const { createRequest, stringifyDocument } = await import('@urql/core');
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(root, file)).href)));
  const documents = modules
    .flatMap((module) => Object.values(module).flatMap((value) => value.text ?? []))
    .filter((text) => !text.startsWith('subscription'))
    .map((text) => stringifyDocument(createRequest(text, {}).query));
  await writeFile(join(output, 'documents.json'), JSON.stringify(documents.toSorted()));
}

async function compressAll() {
  const entries = await readdir(output, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(files.map(compress));
}

async function compress(file) {
  const bytes = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Promise.all([
    promisify(brotliCompress)(bytes, { params }).then((packed) => writeFile(`${file}.br`, packed)),
    promisify(gzip)(bytes, { level: 9 }).then((packed) => writeFile(`${file}.gz`, packed)),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url) && (await isConsoleStale())) await buildConsole();
