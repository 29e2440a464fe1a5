import { Confirm } from '../../ui/confirm.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { type EventId, useEventActions } from './queries.ts'

/** Asks before an event is deactivated. */
export function Deactivate({ id, onClose }: { id: EventId; onClose: () => void }) {
  const { deactivate } = useEventActions(id)
  return (
    <Confirm
      title="Deactivate the event?"
      action="Deactivate the event"
      danger
      onConfirm={async () => {
        await deactivate.mutateAsync()
        showToast({ tone: 'good', text: 'The event is inactive.' })
      }}
      onClose={onClose}
    >
      New notifications of <code className="font-mono text-xs text-text">{id.eventKey}</code> are refused until it is
      activated again, and its running broadcasts wait. Those that were accepted before are still sent.
    </Confirm>
  )
}
