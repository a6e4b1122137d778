import { listLiveAutoscalers } from '#adapter-kubernetes';
import { AdapterError, isJsonObject, type Json, type JsonObject, namespacedName } from '#kernel';
import { importDocument } from '#policy';
import { targetKey } from '#repository';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import { writePolicyFile } from './write-policy-file.ts';

/** What the command line holds. */
export interface ImportArguments {
  readonly kubeconfig: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly allNamespaces?: boolean;
  readonly output?: string;
  readonly force?: boolean;
}

/**
 * Writes policies from a cluster's live autoscalers; 1 where one was left.
 *
 * @throws UnusableError where the cluster cannot be read
 */
export async function importPolicies(options: ImportArguments, terminal: Terminal): Promise<ExitStatus> {
  const { documents, failures, notes } = await loadAutoscalers(options);
  const importer = new Importer(options, terminal);
  for (const note of notes) importer.note(note);
  for (const failure of failures) importer.fail(failure);
  for (const live of documents.map(named).sort(byName)) importer.take(live);
  return importer.end();
}

function loadAutoscalers(options: ImportArguments): ReturnType<typeof listLiveAutoscalers> {
  const { kubeconfig, context, namespace, allNamespaces } = options;
  if (allNamespaces === true && namespace !== undefined)
    throw new UnusableError('--namespace and --all-namespaces exclude each other');
  const namespaces = allNamespaces === true ? ('all' as const) : namespace;
  return listLiveAutoscalers({
    kubeconfig,
    ...(context !== undefined && { context }),
    ...(namespaces !== undefined && { namespaces }),
  }).catch((error: unknown) => {
    throw error instanceof AdapterError ? new UnusableError(error.message) : error;
  });
}

/** A live object and what it is called, whatever the server sent. */
interface NamedObject {
  readonly document: JsonObject;
  readonly key: readonly [namespace: string, name: string, kind: string];
  readonly title: string;
}

function named(document: JsonObject): NamedObject {
  const metadata = isJsonObject(document['metadata']) ? document['metadata'] : {};
  const [namespace, name] = [textOf(metadata['namespace']), textOf(metadata['name'])];
  const kind = textOf(document['kind']);
  return { document, key: [namespace, name, kind], title: `${kind} ${namespace}/${name}` };
}

/** The same order in every run, whatever order the server or the command line has. */
function byName(one: NamedObject, other: NamedObject): number {
  const [left, right] = [one.key.join('\0'), other.key.join('\0')];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

class Importer {
  readonly #options: ImportArguments;
  readonly #terminal: Pick<Terminal, 'output' | 'messages'>;
  readonly #names = new Map<string, string>();
  readonly #targets = new Map<string, string>();
  readonly #texts: string[] = [];
  #left = 0;
  #unchanged = 0;

  constructor(options: ImportArguments, terminal: Pick<Terminal, 'output' | 'messages'>) {
    this.#options = options;
    this.#terminal = terminal;
  }

  note(what: string): void {
    this.#terminal.messages.write(`note: ${what}\n`);
  }

  fail(why: string): void {
    this.#left += 1;
    this.#terminal.messages.write(`not listed: ${why}\n`);
  }

  leave(why: string): void {
    this.#left += 1;
    this.#terminal.messages.write(`not taken: ${why}\n`);
  }

  take({ document, title }: NamedObject): void {
    const imported = importDocument(document);
    if (imported.kind === 'Left') {
      this.leave(`${title}: ${imported.reason}`);
      return;
    }
    const { policy, text, managers } = imported;
    const path = `${namespacedName(policy)}.yaml`;
    const [same, rival] = [this.#names.get(path), this.#targets.get(targetKey(policy))];
    if (same !== undefined) {
      this.leave(`${title}: ${same} has the same name; rename one of them`);
    } else if (rival !== undefined) {
      this.leave(`${title}: ${rival} scales the same ${policy.target.kind}; keep one of them`);
    } else if (this.#write(path, text, title)) {
      this.#names.set(path, title);
      this.#targets.set(targetKey(policy), title);
      for (const manager of managers) this.note(`${title} is written by ${manager}: take it out there`);
    }
  }

  /** Prints the documents where there is no folder, and says how many there are. */
  end(): ExitStatus {
    if (this.#options.output === undefined) this.#terminal.output.write(this.#texts.join('---\n'));
    const unchanged = this.#unchanged === 0 ? '' : ` (${this.#unchanged} unchanged)`;
    this.#terminal.messages.write(`${this.#names.size} taken${unchanged}, ${this.#left} not taken\n`);
    return this.#left === 0 ? 0 : 1;
  }

  #write(path: string, text: string, title: string): boolean {
    const { output, force } = this.#options;
    if (output === undefined) {
      this.#texts.push(text);
      return true;
    }
    const outcome = writePolicyFile({
      folder: output,
      path,
      text,
      mode: force === true ? 'Overwrite' : 'Keep',
    });
    if (outcome === 'Unchanged') this.#unchanged += 1;
    if (outcome !== 'Differs') return true;
    this.leave(`${title}: ${output}/${path} exists and differs (--force overwrites)`);
    return false;
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
