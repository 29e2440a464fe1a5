import { CopyableId } from '../../ui/copy-button.tsx'
import { Drawer, Fact, Facts } from '../../ui/drawer.tsx'
import { TextBlock } from '../../ui/plain-text.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { ActorName } from './actor-name.tsx'
import { type Change, changesOf } from './changes.ts'
import type { AuditEntry } from './queries.ts'

/** One change: the fields before and after it. */
export function AuditDrawer({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { action, actor, resource, occurred_at, request_id, application_id } = entry
  return (
    <Drawer title={action} onClose={onClose}>
      <div className="flex flex-col gap-6">
        <Facts>
          <Fact name="When">
            <ExactTime at={occurred_at} />
          </Fact>
          <Fact name="Who">
            <ActorName actor={actor} />
          </Fact>
          <Fact name="Who (id)">
            <CopyableId id={actor.id} what="id of the actor" />
          </Fact>
          <Fact name="Resource">
            {resource.type} <CopyableId id={resource.id} what="resource id" />
          </Fact>
          {application_id ? (
            <Fact name="Application">
              <CopyableId id={application_id} what="application id" />
            </Fact>
          ) : null}
          {request_id ? (
            <Fact name="Request">
              <CopyableId id={request_id} what="request id" />
            </Fact>
          ) : null}
        </Facts>
        <Changes changes={changesOf(entry)} />
      </div>
    </Drawer>
  )
}

function Changes({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="text-soft">The entry names no fields.</p>
  return changes.map(({ field, before, after }) => (
    <section key={field}>
      <h3 className="pb-1.5 font-semibold">{field}</h3>
      <div className="flex flex-col gap-2">
        <Value name="Before" field={field} text={before} />
        <Value name="After" field={field} text={after} />
      </div>
    </section>
  ))
}

function Value({ name, field, text }: { name: string; field: string; text: string | undefined }) {
  return (
    <div>
      <p className="text-xs text-faint">{name}</p>
      {text === undefined ? (
        <p className="text-soft">None</p>
      ) : (
        <TextBlock label={`${field}, ${name}`}>{text}</TextBlock>
      )}
    </div>
  )
}
