import { OperatorName } from '../../ui/operator-name.tsx'
import type { AuditEntry } from './queries.ts'

/** Who made a change: an operator by name, anybody else by kind and id. */
export function ActorName({ actor: { kind, id } }: { actor: AuditEntry['actor'] }) {
  if (kind === 'operator') return <OperatorName id={id} />
  return (
    <>
      {kind} <code className="font-mono text-xs text-soft">{id}</code>
    </>
  )
}
