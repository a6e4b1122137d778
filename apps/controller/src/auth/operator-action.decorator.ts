import { Reflector } from '@nestjs/core';
import type { OperatorActionName } from '../admin/refusal-recorder.ts';

/** The name under which the ledger has an operation: a caller whose role does not allow it is recorded, too. */
export const OperatorAction = Reflector.createDecorator<OperatorActionName>();
