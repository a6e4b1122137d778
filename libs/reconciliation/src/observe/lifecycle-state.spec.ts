import { describe, expect, it } from '@jest/globals';
import type { LifecycleBlock } from '#policy';
import type { ObjectReading } from '../ports/objects.port.ts';
import { lifecycleState } from './lifecycle-state.ts';

const monitor: LifecycleBlock = {
  apiVersion: 'datadoghq.com/v1alpha1',
  kind: 'DatadogMonitor',
  name: 'checkout',
  jsonPath: '.status.monitorState',
  notEqual: 'OK',
};
const maintenance: LifecycleBlock = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'maintenance',
  jsonPath: '.data.until',
};
const inState = (monitorState: unknown): ObjectReading =>
  ({ object: { status: { monitorState } } }) as ObjectReading;

describe('lifecycleState', () => {
  it.each([
    {
      name: 'the wanted value',
      block: monitor,
      reading: inState('OK'),
      want: {
        blocked: false,
        reason: 'DatadogMonitorOK',
        message: 'DatadogMonitor checkout has OK at .status.monitorState',
      },
    },
    {
      name: 'another value',
      block: monitor,
      reading: inState('Alert'),
      want: {
        blocked: true,
        reason: 'DatadogMonitorNotOK',
        message: 'DatadogMonitor checkout has Alert at .status.monitorState, not OK',
      },
    },
    {
      name: 'another case',
      block: monitor,
      reading: inState('ok'),
      want: { blocked: true, reason: 'DatadogMonitorNotOK' },
    },
    {
      name: 'no value',
      block: monitor,
      reading: { object: {} },
      want: {
        blocked: true,
        reason: 'DatadogMonitorNotOK',
        message: 'DatadogMonitor checkout has nothing at .status.monitorState, not OK',
      },
    },
    {
      name: 'no object',
      block: monitor,
      reading: { error: { message: 'not found' } },
      want: { blocked: true, reason: 'FailedGetDatadogMonitor', message: 'not found' },
    },
    {
      name: 'a number',
      block: { ...monitor, notEqual: '3' },
      reading: inState(3),
      want: { blocked: false, reason: 'DatadogMonitorOK' },
    },
    {
      name: 'no value where any blocks',
      block: maintenance,
      reading: { object: { data: {} } },
      want: {
        blocked: false,
        reason: 'ConfigMapOK',
        message: 'ConfigMap maintenance has nothing at .data.until',
      },
    },
    {
      name: 'a value where any blocks',
      block: maintenance,
      reading: { object: { data: { until: '6 pm' } } },
      want: {
        blocked: true,
        reason: 'ConfigMapNotOK',
        message: 'ConfigMap maintenance has 6 pm at .data.until, not nothing',
      },
    },
    {
      name: 'no object where any value blocks',
      block: maintenance,
      reading: { error: { message: 'not found' } },
      want: { blocked: true, reason: 'FailedGetConfigMap' },
    },
    {
      name: 'a path that does not parse',
      block: { ...monitor, jsonPath: '..state' },
      reading: inState('OK'),
      want: { blocked: true, reason: 'FailedGetDatadogMonitor' },
    },
    {
      name: 'one of several values that differs',
      block: { ...monitor, jsonPath: '.status.states[*]' },
      reading: { object: { status: { states: ['OK', 'Alert'] } } },
      want: { blocked: true, reason: 'DatadogMonitorNotOK' },
    },
  ])('with $name', ({ block, reading, want }) => {
    expect(lifecycleState(block, reading)).toMatchObject(want);
  });
});
