import { Confirm } from '../../ui/confirm.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { type EventId, useEventActions } from './queries.ts'
import type { Editor } from './use-editor.ts'

/** Asks before notifications of an event are refused. */
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
      activated again. Those that were accepted before are still sent.
    </Confirm>
  )
}

/** Asks before edits that are only in this tab are lost. */
export function Discard({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  return (
    <Confirm
      title="Discard the edits?"
      action="Discard the edits"
      danger
      onConfirm={async () => editor.discard()}
      onClose={onClose}
    >
      What you wrote since the draft was last saved is lost.
    </Confirm>
  )
}
