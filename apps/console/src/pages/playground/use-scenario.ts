import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { stringify } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { type Answer, useAnswer } from '../../api/use-answer.ts';
import {
  DecisionRecordDocument,
  type DecisionRecordQuery,
} from '../../evaluation/decision-record.generated.ts';
import { playground } from '../../messages/playground.ts';
import { exampleScenario, type Scenario } from './scenario.ts';
import { linkOf, scenarioOf } from './scenario-link.ts';

/** The address follows when typing rests. */
const restMilliseconds = 400;

/** The scenario of the address, or of the decision that the address names. */
export interface ScenarioOfPage {
  /** Undefined: it is being loaded. */
  readonly scenario: Scenario | undefined;
  /** The decision that it was loaded from, as long as the address names one. */
  readonly decision: string | undefined;
  readonly answer: Answer<DecisionRecordQuery>;
  /** Something that its reader should know; the empty text: nothing. */
  readonly note: string;
  readonly change: (change: Partial<Scenario>) => void;
  readonly restart: () => void;
}

/** Keeps the scenario in the address: what is seen is what a link to it shows. */
export function useScenario(): ScenarioOfPage {
  const { hash } = useLocation();
  const decision = useSearchParams()[0].get('decision') ?? undefined;
  const isOfDecision = hash === '' && decision !== undefined;
  const answer = useAnswer(
    DecisionRecordDocument,
    { id: decision ?? '' },
    { everySeconds: 0, isPaused: !isOfDecision },
  );
  const loaded = answer.data?.decision;
  const ofDecision = useMemo(() => (loaded === undefined ? undefined : scenarioOfDecision(loaded)), [loaded]);
  const [linked, setLinked] = useState<Known | undefined>();
  const [edited, setEdited] = useState<Scenario | undefined>();
  const written = useRef<string>(undefined);
  useEffect(() => {
    if (isOfDecision || hash === written.current) return;
    written.current = hash;
    void scenarioOfHash(hash).then((found) => {
      setLinked(found);
      setEdited(undefined);
    });
  }, [hash, isOfDecision]);
  const isTooLong = useAddress(edited, written);
  const known = isOfDecision ? ofDecision : linked;
  const scenario = edited ?? known?.scenario;
  return {
    scenario,
    decision: isOfDecision ? decision : undefined,
    answer,
    note: noteOf(known, isTooLong),
    change: (changes) => setEdited((before) => ({ ...(before ?? scenario ?? exampleScenario), ...changes })),
    restart: () => setEdited(exampleScenario),
  };
}

function noteOf(known: Known | undefined, isTooLong: boolean): string {
  return isTooLong ? playground.linkTooLong : (known?.note ?? '');
}

interface Known {
  readonly scenario: Scenario;
  /** What is to be said of where it comes from. */
  readonly note: string;
}

async function scenarioOfHash(hash: string): Promise<Known> {
  const found = await scenarioOf(hash);
  const isBad = found === undefined && hash !== '';
  return { scenario: found ?? exampleScenario, note: isBad ? playground.badLink : '' };
}

function scenarioOfDecision(decision: DecisionRecordQuery['decision']): Known {
  if (decision === null) return { scenario: exampleScenario, note: playground.missing };
  return { scenario: scenarioOfInput(decision.input), note: '' };
}

/** Writes a scenario into the address shortly after it changed. Whether there is too much in it for that. */
function useAddress(scenario: Scenario | undefined, written: { current: string | undefined }): boolean {
  const navigate = useNavigate();
  const [isTooLong, setTooLong] = useState(false);
  useEffect(() => {
    if (scenario === undefined) return undefined;
    let isOver = false;
    const timer = setTimeout(() => {
      void linkOf(scenario).then((link) => {
        if (isOver) return;
        setTooLong(link === undefined);
        if (link === undefined) return;
        written.current = link;
        void navigate({ search: '', hash: link }, { replace: true });
      });
    }, restMilliseconds);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [scenario, written, navigate]);
  return isTooLong && scenario !== undefined;
}

/** What a decision was made from, with a load that stays for a while and then doubles. */
export function scenarioOfInput(input: unknown): Scenario {
  const { policy, observation, settings, memory } = objectOf(input as Json);
  return {
    ...exampleScenario,
    policy: stringify(policy ?? null),
    observedBy: 'Json',
    observation: JSON.stringify(observation ?? null, null, 2),
    settings: isJsonObject(settings) ? settings : null,
    memory: isJsonObject(memory) ? memory : null,
    curve: { ...exampleScenario.curve, highPercent: 200 },
  };
}

function objectOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}
