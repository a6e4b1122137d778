import { describe, expect, it } from '@jest/globals';
import { parseRecommendation } from './parse-recommendation.ts';

describe('parseRecommendation', () => {
  it.each([
    {
      name: 'every field',
      body: {
        targetReplicas: 7,
        lowerBoundReplicas: 5,
        upperBoundReplicas: 9,
        observedTargets: [{ type: 'cpu', targetValue: 0.8125, lowerBound: 0.5, upperBound: 0.9 }, {}],
        reason: 'busy',
        timestamp: '2026-11-20T13:00:00.5+01:00',
        error: null,
      },
      want: {
        replicas: 7,
        lowerBound: 5,
        upperBound: 9,
        observed: '0.8125',
        reason: 'busy',
        timestamp: '2026-11-20T12:00:00.5Z',
      },
    },
    {
      name: 'numbers as text',
      body: { targetReplicas: '7', lowerBoundReplicas: '1e1' },
      want: { replicas: 7, lowerBound: 10 },
    },
    { name: 'null as absent', body: { targetReplicas: null, observedTargets: null }, want: {} },
    { name: 'nothing as nothing, never as zero', body: {}, want: {} },
    { name: 'no observed target', body: { targetReplicas: 0, observedTargets: [] }, want: { replicas: 0 } },
  ])('reads $name', ({ body, want }) => {
    expect(parseRecommendation(JSON.stringify(body))).toEqual(want);
  });

  it.each([
    {
      name: 'a page',
      body: '<html><body>502\n Bad Gateway',
      want: 'the answer is no JSON; it begins with "<html><body>502 Bad Gateway"',
    },
    { name: 'nothing', body: '', want: 'the answer is no JSON; it begins with ""' },
    { name: 'a list', body: '[]', want: 'the answer is no JSON object' },
    {
      name: 'an unknown field',
      body: '{"replicas": 7}',
      want: 'the answer has the unknown field "replicas"',
    },
    {
      name: 'half a replica',
      body: '{"targetReplicas": 2.5}',
      want: 'targetReplicas is 2.5, which is no whole number of 32 bits',
    },
    {
      name: 'too many replicas',
      body: '{"targetReplicas": 2147483648}',
      want: 'targetReplicas is 2147483648, which is no whole number of 32 bits',
    },
    { name: 'a word for a number', body: '{"targetReplicas": "many"}', want: 'targetReplicas is no number' },
    { name: 'NaN', body: '{"observedTargets": [{"targetValue": "NaN"}]}', want: 'targetValue is no number' },
    { name: 'a truth value', body: '{"targetReplicas": true}', want: 'targetReplicas is no number' },
    {
      name: 'a time that is none',
      body: '{"timestamp": "yesterday"}',
      want: 'timestamp is no RFC 3339 time',
    },
    {
      name: 'an error',
      body: '{"targetReplicas": 3, "error": {"code": 14, "message": "no model; Authorization: Bearer abc"}}',
      want: 'the recommender answers with error 14: no model; Authorization: …',
    },
  ])('refuses $name', ({ body, want }) => {
    expect(() => parseRecommendation(body)).toThrow(want);
  });
});
