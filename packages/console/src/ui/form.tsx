import { Problem } from '@notify/sdk'
import { createContext, type FormEvent, type ReactNode, use, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { Problems } from './error-state.tsx'

const Errors = createContext<Problem['errors']>([])

/** The service's errors about the value at a path, and below it. */
export function useFieldErrors(name: string): string[] {
  return use(Errors)
    .filter(({ path }) => path === name || path.startsWith(`${name}.`))
    .map(({ message }) => message)
}

/** The service's errors about the value at a path itself. */
export function useOwnErrors(name: string): string[] {
  return use(Errors)
    .filter(({ path }) => path === name)
    .map(({ message }) => message)
}

/** Shows errors at the fields below it without a {@link Form}, for an editor whose save button is elsewhere. */
export function FieldErrors({ errors, children }: { errors: Problem['errors']; children: ReactNode }) {
  return <Errors value={errors}>{children}</Errors>
}

interface FormProps {
  /** The label of the button, for example `Create the key`. */
  action: string
  /** Calls the API. An error that it throws is shown at the fields that the problem names, or else below. */
  onSubmit: () => Promise<unknown>
  onCancel?: () => void
  /** The error of the last submission, if `onSubmit` does not throw it. */
  refusal?: unknown
  children: ReactNode
}

/** A form whose fields show the errors that the service names by their paths. Keep its values with `useDraft`. */
export function Form({ action, onSubmit, onCancel, refusal, children }: FormProps) {
  const [busy, setBusy] = useState(false)
  const [thrown, setThrown] = useState<unknown>()
  const error = thrown ?? refusal
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // React passes it on to the form around a dialog, which must not be submitted.
    event.stopPropagation()
    if (busy) return
    setBusy(true)
    setThrown(undefined)
    try {
      await onSubmit()
    } catch (problem) {
      setThrown(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form ref={form} onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
      <Errors value={error instanceof Problem ? error.errors : []}>{children}</Errors>
      {error === undefined ? null : <Problems error={error} />}
      <div className="actions flex justify-end gap-2">
        {onCancel ? <Button onClick={onCancel}>Cancel</Button> : null}
        <Button kind="primary" type="submit" busy={busy}>
          {action}
        </Button>
      </div>
    </form>
  )
}
