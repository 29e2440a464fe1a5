import { Confirm } from '../ui/confirm.tsx'

/** Asks before edits that are only in this tab are lost. */
export function DiscardEdits({ onDiscard, onClose }: { onDiscard: () => void; onClose: () => void }) {
  return (
    <Confirm
      title="Discard the edits?"
      action="Discard the edits"
      danger
      onConfirm={async () => onDiscard()}
      onClose={onClose}
    >
      Your changes since the last save will be lost.
    </Confirm>
  )
}
