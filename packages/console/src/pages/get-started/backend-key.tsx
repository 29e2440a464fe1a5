import { useState } from 'react'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { NewKey } from '../applications/new-key.tsx'

interface BackendKeyProps {
  applicationId: string
  onCreated: (name: string, apiKey: string) => void
}

/** A key is shown once: an operator who has lost that of the first steps makes another one here. */
export function BackendKey({ applicationId, onCreated }: BackendKeyProps) {
  const [isOpen, setOpen] = useState(false)
  const created = (apiKey: string, name: string) => {
    setOpen(false)
    onCreated(name, apiKey)
  }
  return (
    <>
      <div className="mt-2">
        <PermittedButton needs="applications:manage" onClick={() => setOpen(true)}>
          Make another key for the backend
        </PermittedButton>
      </div>
      {isOpen ? (
        <NewKey applicationId={applicationId} name="Backend" onCreated={created} onClose={() => setOpen(false)} />
      ) : null}
    </>
  )
}
