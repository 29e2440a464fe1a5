import { useState } from 'react'
import { useNavigate } from 'react-router'
import { DiscardEdits } from '../../templates/discard-edits.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { type StoredLayout, useLayoutActions } from './queries.ts'
import type { Editor } from './use-editor.ts'

export const showSaved = () => showToast({ tone: 'good', text: 'The layout is saved; emails use it at once.' })

export async function saveAndShow(editor: Editor): Promise<void> {
  if (await editor.save()) showSaved()
}

/** Saves, discards and deletes. */
export function LayoutActions({ layout, editor }: { layout: StoredLayout; editor: Editor }) {
  const [open, setOpen] = useState<'delete' | 'discard'>()
  const close = () => setOpen(undefined)
  return (
    <>
      {editor.isChanged ? (
        <Button kind="quiet" onClick={() => setOpen('discard')}>
          Discard the edits
        </Button>
      ) : null}
      <Button kind="quiet" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      <Button
        kind="primary"
        busy={editor.isSaving}
        disabled={!editor.isChanged}
        aria-keyshortcuts="Control+S"
        title={editor.isChanged ? 'Ctrl S' : 'There is nothing to save'}
        onClick={() => void saveAndShow(editor)}
      >
        Save
      </Button>
      {open === 'discard' ? <DiscardEdits onDiscard={editor.discard} onClose={close} /> : null}
      {open === 'delete' ? <DeleteLayout layout={layout} onDeleted={editor.discard} onClose={close} /> : null}
    </>
  )
}

interface DeleteLayoutProps {
  layout: StoredLayout
  onDeleted: () => void
  onClose: () => void
}

/** Asks before a layout is deleted. The refusal names what uses it. */
function DeleteLayout({ layout: { layout_id, name }, onDeleted, onClose }: DeleteLayoutProps) {
  const { remove } = useLayoutActions()
  const navigate = useNavigate()
  return (
    <Confirm
      title="Delete this layout?"
      action="Delete the layout"
      danger
      onConfirm={async () => {
        await remove.mutateAsync(layout_id)
        showToast({ tone: 'good', text: 'The layout is deleted.' })
        onDeleted()
        void navigate('/layouts')
      }}
      onClose={onClose}
    >
      New requests that name <PlainText className="font-medium text-text">{name}</PlainText> are refused, and running
      broadcasts that name it reach no further member. What was accepted before is still sent. This cannot be undone.
    </Confirm>
  )
}
