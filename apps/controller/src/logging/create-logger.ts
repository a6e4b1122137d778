import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Configuration } from '#configuration';
import { escapeControls } from '#kernel';

/** Fields that every text line shows elsewhere, or that only machines want. */
const unshown = new Set(['level', 'time', 'msg', 'sentence', 'cluster', 'err', 'context', 'req', 'res']);

/** Values longer than this are cut in text; JSON logs keep them. */
const shownCharacters = 300;

/**
 * The controller's log. JSON for machines: constant messages, everything else in fields. Text for people: the
 * `sentence` field where an entry has one, else the message and its fields.
 */
export function createLogger(log: Configuration['log'], clusterName: string): Logger {
  const options = {
    level: log.level,
    base: { cluster: clusterName },
    redact: { paths: ['req.headers.authorization', 'req.headers.cookie'], censor: '…' },
    serializers: { err: pino.stdSerializers.err },
    hooks: { streamWrite: escapedJson },
  };
  const isText = log.format === 'text' || (log.format === 'auto' && process.stdout.isTTY);
  return isText ? pino(options, textStream()) : pino(options);
}

/** What JSON leaves as it is and a terminal does not: the line means the same. */
const unescaped = /[\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** A line of JSON that is safe to show: people read such logs in terminals, too. */
export function escapedJson(line: string): string {
  return line.replace(unescaped, escapeControls);
}

function textStream(): pretty.PrettyStream {
  return pretty({
    colorize: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
    translateTime: 'SYS:HH:MM:ss',
    hideObject: true,
    sync: true,
    messageFormat: (entry) => textOf(entry),
  });
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
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

function errorText(error: unknown): readonly string[] {
  if (typeof error !== 'object' || error === null || !('message' in error)) return [];
  return [String(error.message)];
}
