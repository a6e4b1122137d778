import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LeaveReport } from '#contracts';
import { aTerminal } from '../testing/run-cli.fixture.ts';
import { releaseAll } from './release-all.ts';

type Result = LeaveReport['policies'][number]['result'];

const names = ['api', 'cart', 'web'];

/** An answer: what became of each of the policies. */
function aReport(...results: readonly Result[]): LeaveReport {
  const waiting = results.filter((result) => result === 'Waiting').length;
  return {
    policies: results.map((result, at) => ({
      policy: { namespace: 'shop', name: names[at] ?? '' },
      result,
      message: `because of ${result}`,
    })),
    waiting,
    endedInterventions: waiting === 0 ? 1 : 0,
  };
}

describe('a release of everything', () => {
  let server: Server;
  let asked: number;
  /** What each request in turn is answered with, the last one again and again; null: nothing. */
  let answers: readonly (LeaveReport | null)[];

  beforeEach(async () => {
    asked = 0;
    server = createServer((_, response) => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (answer === null) return response.destroy();
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const release = async () => {
    const [output, messages] = [new PassThrough(), new PassThrough()];
    const { port } = server.address() as AddressInfo;
    const environment = { PLIMSOLL_SERVER: `http://127.0.0.1:${port}`, PLIMSOLL_TOKEN: 'plm_x' };
    const terminal = { ...aTerminal(), output, messages, environment };
    const ended = await releaseAll({ to: 'none', reason: 'x', confirm: 'd' }, terminal).catch(
      (error: unknown) => error,
    );
    output.end();
    messages.end();
    return { ended, output: await text(output), messages: await text(messages) };
  };

  it('goes on until nothing waits, says how far it is, and what a person has to look at last', async () => {
    answers = [
      aReport('Waiting', 'Waiting', 'Waiting'),
      aReport('Blocked', 'Done', 'Waiting'),
      aReport('Blocked', 'Done', 'Done'),
    ];
    expect(await release()).toEqual({
      ended: 0,
      output: [
        'POLICY     RESULT',
        'shop/cart  Done     because of Done',
        'shop/web   Done     because of Done',
        'shop/api   Blocked  because of Blocked',
        '2 Done, 1 Blocked, 0 Waiting; 1 intervention has ended',
        '',
      ].join('\n'),
      messages:
        'plimsoll: 3 of 3 policies are still to be left\nplimsoll: 1 of 3 policies is still to be left\n',
    });
  });

  it('ends where five requests in a row leave none, says so, and for what the rest waits', async () => {
    answers = [aReport('Waiting', 'Waiting', 'Done'), aReport('Waiting', 'Done', 'Done')];
    const { ended, output, messages } = await release();
    expect([ended, asked]).toEqual([1, 7]);
    expect(output.split('\n').slice(-3)).toEqual([
      'shop/api   Waiting  because of Waiting',
      '2 Done, 0 Blocked, 1 Waiting; none that waits was left by the last 5 requests, and no intervention has ended: see to what their rows say, and the same command goes on',
      '',
    ]);
    expect(messages.split('\n').slice(1, 4)).toEqual([
      'plimsoll: 1 of 3 policies is still to be left',
      'plimsoll: 1 of 3 policies is still to be left, and none was by this request (1 of 5)',
      'plimsoll: 1 of 3 policies is still to be left, and none was by this request (2 of 5)',
    ]);
  });

  it('says what is left where the controller goes away in the middle', async () => {
    answers = [aReport('Done', 'Waiting', 'Waiting'), null];
    const { ended, output, messages } = await release();
    expect([output, (ended as Error).message]).toEqual(['', expect.stringContaining('does not answer')]);
    expect(messages).toBe(
      'plimsoll: 2 of 3 policies are still to be left\n' +
        'plimsoll: 2 of 3 policies are still to be left; the others stay left, and the same command goes on\n',
    );
  });
});
