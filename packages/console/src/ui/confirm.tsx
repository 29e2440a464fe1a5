import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Problems } from './error-state.tsx'

interface ConfirmProps {
  title: string
  /** The consequences, and whether they can be undone. */
  children: ReactNode
  /** The label of the button, for example `Revoke the key`. */
  action: string
  /** The label of the other button. */
  keep?: string
  danger?: boolean
  /** Why there is nothing to confirm (yet). */
  disabled?: string | undefined
  /** Runs on confirmation; the dialog closes when it succeeds, and shows the problem when it throws. */
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before an action that cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { title, children, action, keep = 'Cancel', danger = false, disabled, onConfirm, onClose } = props
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const confirm = async () => {
    setBusy(true)
    try {
      await onConfirm()
      onClose()
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose} decision>
      <div className="text-soft">{children}</div>
      {error === undefined ? null : <Problems error={error} />}
      <div className="actions mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>{keep}</Button>
        <Button
          kind={danger ? 'danger' : 'primary'}
          busy={busy}
          disabled={disabled !== undefined}
          title={disabled}
          onClick={() => void confirm()}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
