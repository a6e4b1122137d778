import { applyDecorators, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import type { Operation, WireOf } from '#contracts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import { type Asked, operationKey } from './asked.decorator.ts';
import type { Listing } from './listing.ts';
import type { TextDocument } from './text-document.ts';

type Handler<O extends Operation> = (
  asked: Asked<O>,
) => O['kind'] extends 'List'
  ? Listing<WireOf<O['answer']>>
  : MaybeLater<O['kind'] extends 'Document' ? TextDocument : WireOf<O['answer']>>;

type MaybeLater<T> = T | Promise<T>;

type HandlerDecorator<O extends Operation> = <H extends Handler<O>>(
  target: object,
  name: string,
  descriptor: TypedPropertyDescriptor<H>,
) => void;

/** Serves an operation of the contracts: path, method, role, and the types of question and answer are written there. */
export function OperationRoute<O extends Operation>(operation: O): HandlerDecorator<O> {
  return applyDecorators(
    RequestMapping({
      path: operation.path.slice(1).replaceAll(/\{([a-z]+)\}/g, ':$1'),
      method: RequestMethod[operation.method],
    }),
    Roles(operation.role),
    SetMetadata(operationKey, operation),
  );
}
