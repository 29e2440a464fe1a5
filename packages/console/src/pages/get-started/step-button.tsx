import { useState } from 'react'
import type { Permission } from '../../api/me.ts'
import { Problems } from '../../ui/error-state.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'

interface StepButtonProps {
  permission: Permission
  /** Whether earlier steps are still to be done. */
  disabled?: boolean
  act: () => Promise<unknown>
  children: string
}

/** Does a step with one click, and shows the error if it fails. */
export function StepButton({ permission, disabled = false, act, children }: StepButtonProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const run = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await act()
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <PermittedButton
        needs={permission}
        kind={disabled ? 'plain' : 'primary'}
        disabled={disabled}
        title={disabled ? 'Do the steps above first' : undefined}
        busy={busy}
        onClick={() => void run()}
        className="mt-2"
      >
        {children}
      </PermittedButton>
      {error === undefined ? null : <Problems error={error} />}
    </>
  )
}
