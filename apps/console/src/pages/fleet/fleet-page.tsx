import type { ReactElement } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Age } from '../../components/age.tsx';
import { fleet } from '../../messages/fleet.ts';
import { FleetPageDocument } from './fleet.generated.ts';
import { FleetTable } from './fleet-table.tsx';

/** Every policy that the caller may see. */
export default function FleetPage(): ReactElement {
  const answer = useAnswer(FleetPageDocument, { first: 100 });
  const rows = answer.data?.policies.edges.map(({ node }) => node) ?? [];
  return (
    <>
      <header className="panel-header">
        <h1>{fleet.title}</h1>
        <span className="spring" />
        <Age of={answer} />
      </header>
      <FleetTable rows={rows} />
    </>
  );
}
