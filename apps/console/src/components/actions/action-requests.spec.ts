import { describe, expect, it } from '@jest/globals';
import type { ActionEffectPartsFragment } from './action-effect.generated.ts';
import { type Action, type ActionForm, carryOutAll, effectTogether, lookAtAll } from './action-requests.ts';

function anEffect(given: Partial<ActionEffectPartsFragment> = {}): ActionEffectPartsFragment {
  return {
    action: 'SuspendScaling',
    summary: 'scaling stops',
    digest: 'digest',
    total: 1,
    changes: [],
    problems: [],
    policies: [],
    requires: { role: 'operator', confirm: false, force: false },
    ...given,
  };
}

type Sent = Awaited<ReturnType<Action['send']>>;

const answered = (outcome: Extract<Sent, { kind: 'Answered' }>['data']['outcome']): Sent => ({
  kind: 'Answered',
  data: { outcome },
});
const done = answered({ __typename: 'Intervention' });
const refused = answered({ __typename: 'ActionRefusal', message: 'it is frozen' });
const looked = answered({ __typename: 'ActionPreview', effect: anEffect() });
const tooMany: Sent = {
  kind: 'NotSent',
  problem: { kind: 'Refused', message: 'It is asked again soon.', code: 'TooManyRequests' },
};
const ended: Sent = { kind: 'NotSent', problem: { kind: 'SignedOut', message: 'Your session has ended.' } };
const lost: Sent = { kind: 'Unknown', problem: { kind: 'Unreachable', message: 'no answer' } };

/** Actions that are answered so, and the forms that they were sent with. */
function actionsAnswered(...answers: readonly Sent[]) {
  const forms: ActionForm[] = [];
  const actions = answers.map((answer, index): Action => ({
    name: `shop/${index}`,
    send: (form) => {
      forms.push(form);
      return Promise.resolve(answer);
    },
  }));
  return { actions, forms };
}

const words = { reason: 'a test', expires: '' };

describe('a preview', () => {
  it('has the effect of each action', async () => {
    const { actions, forms } = actionsAnswered(looked, looked);
    expect(await lookAtAll(actions, '')).toEqual({ kind: 'Effects', effects: [anEffect(), anEffect()] });
    expect(forms.every(({ dryRun }) => dryRun)).toBe(true);
  });

  it.each([
    { name: 'one', answers: [refused], message: 'it is frozen' },
    { name: 'several, by its name', answers: [looked, refused], message: 'shop/1: it is frozen' },
  ])('of $name that is refused says why', async ({ answers, message }) => {
    expect(await lookAtAll(actionsAnswered(...answers).actions, '')).toEqual({ kind: 'Refusal', message });
  });

  it.each([
    { name: 'did not come', answers: [looked, lost], message: 'shop/1: no answer' },
    { name: 'was one of too many', answers: [tooMany], message: 'It is asked again soon.' },
  ])('whose answer $name is to be asked again', async ({ answers, message }) => {
    expect(await lookAtAll(actionsAnswered(...answers).actions, '')).toEqual({ kind: 'NoAnswer', message });
  });

  it('of several is read as one', () => {
    const effects = [anEffect(), anEffect({ requires: { role: 'operator', confirm: true, force: true } })];
    expect(effectTogether(effects)).toMatchObject({ total: 2, requires: { confirm: true, force: true } });
  });
});

describe('what is carried out', () => {
  it('is agreed to by the digest that was looked at, where that is wanted', async () => {
    const { actions, forms } = actionsAnswered(done, done);
    const wanted = anEffect({ digest: 'seen', requires: { role: 'operator', confirm: true, force: false } });
    expect(await carryOutAll(actions, [wanted, anEffect()], words)).toEqual({ kind: 'Done' });
    expect(forms.map(({ confirm }) => confirm)).toEqual(['seen', null]);
  });

  it.each([
    { name: 'was refused', answers: [refused], message: 'it is frozen' },
    { name: 'met the end of the session', answers: [ended], message: /^It was not carried out/ },
    { name: 'was one of too many', answers: [tooMany], message: /^It was not carried out.*too many.*again/ },
    { name: 'was not answered', answers: [lost], message: /may or may not/ },
    { name: 'failed in part', answers: [done, refused, done], message: '2 of 3 done. shop/1: it is frozen' },
  ])('says so where it $name', async ({ answers, message }) => {
    const { actions } = actionsAnswered(...answers);
    const effects = answers.map(() => anEffect());
    expect(await carryOutAll(actions, effects, words)).toEqual({
      kind: 'Failed',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });
});
