import { Catch, type ExceptionFilter } from '@nestjs/common';
import { QueryError } from '../../admin/requests/query-error.ts';
import { ActionRefusal } from '../types/action-result.ts';

/** Answers what a caller got wrong as the result of the mutation; everything else stays an error. */
@Catch(QueryError)
export class ActionRefusalFilter implements ExceptionFilter<QueryError> {
  catch(error: QueryError): ActionRefusal {
    return new ActionRefusal(error);
  }
}
