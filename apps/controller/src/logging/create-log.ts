import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Configuration } from '#configuration';
import { escapeControls, shortText } from '#kernel';
import { LogOutput, sendTo } from './log-output.ts';

/** Fields that every text line shows elsewhere, or that only machines want. */
const unshown = new Set(['level', 'time', 'msg', 'sentence', 'cluster', 'err', 'context', 'req', 'res']);

/** Values longer than this are cut in text; JSON logs keep them. */
const shownCharacters = 300;

/** The controller's log, and where it goes. */
export interface ControllerLog {
  readonly logger: Logger;
  readonly output: LogOutput;
}

/**
 * The controller's log on standard output, which is complete when the process ends, however it ends but by SIGKILL. JSON
 * for machines: constant messages, everything else in fields. Text for people: the `sentence` field where an entry has
 * one, else the message and its fields.
 */
export function createLog(log: Configuration['log'], clusterName: string): ControllerLog {
  const options = {
    level: log.level,
    base: { cluster: clusterName },
    redact: { paths: ['req.headers.authorization', 'req.headers.cookie'], censor: '…' },
    serializers: { err: pino.stdSerializers.err },
    hooks: { streamWrite: escapedJson },
  };
  const output: LogOutput = new LogOutput({
    send: sendTo(process.stdout.fd),
    onDropped: (lines) =>
      logger.warn({ lines }, 'lines of the log were dropped, which its reader did not take'),
  });
  const isText = log.format === 'text' || (log.format === 'auto' && process.stdout.isTTY);
  const logger = pino(options, isText ? asText(output) : output);
  process.once('exit', () => output.flushSync());
  return { logger, output };
}

/** A line of JSON that is safe to show, and means the same: people read such logs in terminals, too. */
export function escapedJson(line: string): string {
  return line.replace(/[^\n]+/g, escapeControls);
}

/** Takes lines of JSON, and passes text on. */
function asText(output: LogOutput): Pick<LogOutput, 'write' | 'flushSync'> {
  const textLine = pretty.prettyFactory({
    colorize: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
    translateTime: 'SYS:HH:MM:ss',
    hideObject: true,
    messageFormat: (entry) => textOf(entry),
  });
  return { write: (line) => output.write(textLine(line)), flushSync: () => output.flushSync() };
}

/** One line of text for an entry; what a commit's author wrote steers no terminal. */
export function textOf(entry: Readonly<Record<string, unknown>>): string {
  return escapeControls(rawText(entry));
}

function rawText(entry: Readonly<Record<string, unknown>>): string {
  const sentence = entry['sentence'];
  if (typeof sentence === 'string') return sentence;
  const fields = Object.entries(entry).filter(([key, value]) => !unshown.has(key) && value !== undefined);
  const shown = fields.map(([key, value]) => `${key}=${valueText(value)}`);
  return [valueText(entry['msg'] ?? ''), ...shown, ...errorText(entry['err'])].join('  ').trim();
}

function valueText(value: unknown): string {
  return shortText(typeof value === 'string' ? value : JSON.stringify(value), shownCharacters);
}

function errorText(error: unknown): readonly string[] {
  if (typeof error !== 'object' || error === null || !('message' in error)) return [];
  return [String(error.message)];
}
