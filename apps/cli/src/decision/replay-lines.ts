import { engineVersion } from '#decision';
import { type Json, type JsonDifference, jsonDifferences, shortText } from '#kernel';
import { BatchedOutput } from './batched-output.ts';
import { LineDecider } from './decide-line.ts';
import type { Streams } from './decide-lines.ts';
import { parseJsonExactly } from './parse-json-exactly.ts';
import { type Line, readLines } from './read-lines.ts';
import { type DecisionRecord, readRecord } from './read-record.ts';

/** Differences of one decision that are printed. */
const maxShownDifferences = 20;
/** Characters of a value that are printed. */
const maxShownValue = 100;

type Outcome = 'same' | 'different' | 'otherEngine' | 'bad' | 'skipped' | 'leftOut' | 'expired';

/**
 * Recomputes recorded decisions and compares them byte for byte, in their canonical form.
 *
 * @returns the exit status: 1 on a difference, an unreadable line or where there was no decision (unless that is
 *   allowed); else 3 where the differences are all of records that another engine version made; else 0
 */
export async function replayLines(
  { input, output }: Streams,
  { allowEmpty = false }: { readonly allowEmpty?: boolean } = {},
): Promise<0 | 1 | 3> {
  const replay = new Replay(new BatchedOutput(output), allowEmpty);
  for await (const lines of readLines(input)) for (const line of lines) await replay.line(line);
  return replay.finish();
}

class Replay {
  readonly #output: BatchedOutput;
  readonly #allowsEmpty: boolean;
  readonly #decider = new LineDecider();
  readonly #counts: Record<Outcome, number> = {
    same: 0,
    different: 0,
    otherEngine: 0,
    bad: 0,
    skipped: 0,
    leftOut: 0,
    expired: 0,
  };
  #expiredEntries = 0;

  constructor(output: BatchedOutput, allowsEmpty: boolean) {
    this.#output = output;
    this.#allowsEmpty = allowsEmpty;
  }

  async line(line: Line): Promise<void> {
    this.#counts[this.#replay(line)] += 1;
    await this.#output.flushFull();
  }

  async finish(): Promise<0 | 1 | 3> {
    const { same, different, otherEngine, bad, skipped, leftOut } = this.#counts;
    const replayed = same + different + otherEngine;
    this.#output.line(
      `${count(replayed, 'decision')} replayed: ${same} the same, ${different + otherEngine} different` +
        (otherEngine > 0 ? ` (${otherEngine} of another engine version)` : '') +
        `, ${count(bad, 'unreadable line')}, ${count(skipped, 'entry', 'entries')} of other kinds` +
        (leftOut > 0 ? `, ${leftOut} without their payloads` : '') +
        (this.#expiredEntries > 0 ? `, ${this.#expiredEntries} expired` : ''),
    );
    const hasNothing = replayed === 0 && !this.#allowsEmpty;
    if (hasNothing)
      this.#output.line('no decision was replayed: nothing is proved (--allow-empty accepts that)');
    await this.#output.flush();
    if (different + bad > 0 || hasNothing) return 1;
    return otherEngine > 0 ? 3 : 0;
  }

  #replay(line: Line): Outcome {
    if ('problem' in line) return this.#bad(line, line.problem);
    let value: unknown;
    try {
      value = parseJsonExactly(line.text);
    } catch {
      return this.#bad(line, 'the line is not JSON');
    }
    const reading = readRecord(value);
    if (reading.kind === 'other') return 'skipped';
    if (reading.kind === 'leftOut') return 'leftOut';
    if (reading.kind === 'expired') {
      this.#expiredEntries += reading.entries;
      return 'expired';
    }
    if (reading.kind === 'problem') return this.#bad(line, reading.message);
    try {
      return this.#compare(line, reading.record);
    } catch {
      // Nested so deeply that comparing exhausts the stack: no decision is.
      return this.#bad(line, 'the record cannot be compared');
    }
  }

  #compare(line: Line, record: DecisionRecord): Outcome {
    const result = this.#decider.decideValue(record.input, line.number);
    if (!result.ok)
      return this.#bad(line, `the recorded input: ${result.error.path}: ${result.error.message}`);
    const { decision, memory } = asJson(result.value);
    const found = [
      ...jsonDifferences(record.decision, decision, '/decision'),
      ...(record.memory === undefined ? [] : jsonDifferences(record.memory, memory, '/memory')),
    ];
    if (found.length === 0) return 'same';
    const isOther = record.engineVersion !== undefined && record.engineVersion !== engineVersion;
    const engine = isOther ? ` (recorded by engine ${record.engineVersion}, this is ${engineVersion})` : '';
    this.#output.line(`${nameOf(line, record)}: ${count(found.length, 'difference')}${engine}`);
    for (const difference of found.slice(0, maxShownDifferences)) this.#output.line(describe(difference));
    return isOther ? 'otherEngine' : 'different';
  }

  #bad({ number }: Line, message: string): Outcome {
    this.#output.line(`line ${number}: ${message}`);
    return 'bad';
  }
}

/** The output as a recording has it: text and back. */
function asJson(value: unknown): { readonly decision: Json; readonly memory: Json } {
  return JSON.parse(JSON.stringify(value)) as { decision: Json; memory: Json };
}

function nameOf({ number }: Line, { name }: DecisionRecord): string {
  return name === undefined ? `line ${number}` : `line ${number} (${name})`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function describe({ path, recorded, recomputed }: JsonDifference): string {
  return `  ${path}: recorded ${show(recorded)}, recomputed ${show(recomputed)}`;
}

function show(value: Json | undefined): string {
  return shortText(value === undefined ? 'nothing' : JSON.stringify(value), maxShownValue);
}
