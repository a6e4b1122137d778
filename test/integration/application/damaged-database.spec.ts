import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { soon } from '../../e2e/support/soon.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

describe('a database that is damaged where something is stored', () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication();
    await application.nest.init();
    await soon('a revision', async () => {
      const { body } = await application.ask('{ sources { revisions { outcome } } }');
      return (body.data as { sources: { revisions: object[] }[] }).sources[0]?.revisions[0];
    });
    const database = new Database(join(application.folder, 'ledger.db'));
    database.exec(`UPDATE revision SET record = '{ not'`);
    database.close();
  });
  afterAll(() => application.close());

  const cure = expect.stringMatching(/does not come back by itself.*restore a backup/) as unknown;
  const damages = () => application.log.filter(({ msg }) => msg === 'the database is damaged');

  it('is told of by REST as a 503 with what to do, which nobody is asked to repeat, and in the log with what is damaged', async () => {
    const answer = await fetch(`${application.url()}/api/v1/sources/policies/revisions`, {
      headers: { authorization: `Bearer ${application.tokens.viewer}` },
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, null]);
    expect(await answer.json()).toMatchObject({ code: 'DatabaseCorrupt', detail: cure });
    expect(damages()).toHaveLength(1);
  });

  it('is told of by GraphQL at its place, and the rest is answered', async () => {
    const { body } = await application.ask('{ sources { name recentRevisions { outcome } } }');
    expect(body).toMatchObject({
      data: { sources: [{ name: 'policies', recentRevisions: null }] },
      errors: [{ message: cure, extensions: { code: 'DatabaseCorrupt' } }],
    });
    const whole = await application.ask('{ sources { revisions { outcome } } }');
    expect([whole.status, whole.body.data]).toEqual([503, null]);
  });
});
