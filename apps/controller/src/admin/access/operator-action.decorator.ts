import { Reflector } from '@nestjs/core';
import type { OperatorActionName } from '../requests/operator-action-name.ts';

/** What a request asks for, not checked yet. */
export type UncheckedArguments = Readonly<Record<string, unknown>>;

/** A function where the arguments say which action it is. */
export type NamedAction = OperatorActionName | ((given: UncheckedArguments) => OperatorActionName);

/**
 * The name under which the ledger has an operation: a caller whose role does not allow it is recorded, too.
 */
export const OperatorAction = Reflector.createDecorator<NamedAction>();
