import { useEffect, useRef, useState } from 'react'
import { useBeforeUnload, useBlocker } from 'react-router'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'

interface SecretDialogProps {
  title: string
  secret: string
  /** The kind of secret, for example `API key`. */
  what: string
  onClose: () => void
}

/** Shows a secret once. It closes only after the operator confirms that the secret is stored. */
export function SecretDialog({ title, secret, what, onClose }: SecretDialogProps) {
  const [stored, setStored] = useState(false)
  const isDone = useRef(false)
  const close = () => {
    isDone.current = true
    onClose()
  }
  // Neither the page finder nor the browser's back button may close it before.
  const { state, reset } = useBlocker(() => !isDone.current)
  useEffect(() => {
    if (state === 'blocked') reset()
  }, [state, reset])
  useBeforeUnload((event) => event.preventDefault())
  return (
    <Dialog title={title} onClose={onClose} stays>
      <p className="text-soft">Store this {what} now. It is not shown again.</p>
      <div className="my-3 flex items-center gap-2 rounded-md border border-line bg-sunken px-3 py-2">
        <code className="min-w-0 flex-1 font-mono text-xs break-all select-all">{secret}</code>
        <CopyButton text={secret} label={`Copy the ${what}`} />
      </div>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={stored} onChange={(event) => setStored(event.target.checked)} />I have stored it
      </label>
      <div className="actions mt-4 flex justify-end">
        <Button
          kind="primary"
          disabled={!stored}
          title={stored ? undefined : 'First say that you have stored it'}
          onClick={close}
        >
          Done
        </Button>
      </div>
    </Dialog>
  )
}
