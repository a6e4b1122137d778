import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { NestLogger } from './nest-logger.ts';

interface Line {
  readonly msg: string;
  readonly framework?: unknown;
  readonly err?: unknown;
}

function linesOf(log: (logger: NestLogger) => void): readonly Line[] {
  const lines: Line[] = [];
  log(new NestLogger(pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) })));
  return lines;
}

it.each(['error', 'fatal'] as const)('says what was thrown at %s', (level) => {
  const failure = new Error('passes could not be closed', { cause: new Error('the database is locked') });
  expect(linesOf((logger) => logger[level](failure, failure.stack))).toEqual([
    expect.objectContaining({
      err: expect.objectContaining({
        message: 'passes could not be closed: the database is locked',
        stack: expect.stringContaining('nest-logger.spec'),
      }),
    }),
  ]);
});

it('keeps a text with its details', () => {
  expect(linesOf((logger) => logger.error('Unsupported host', undefined, 'RouterExplorer'))).toEqual([
    expect.objectContaining({ framework: 'Unsupported host', details: [null, 'RouterExplorer'] }),
  ]);
});

it('leaves what is thrown on as well to where it is caught', () => {
  expect(linesOf((logger) => logger.error(new Error('thrown'), undefined, 'ExceptionHandler'))).toEqual([]);
});
