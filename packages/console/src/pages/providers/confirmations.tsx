import { useRef, useState } from 'react'
import { Confirm } from '../../ui/confirm.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { type Provider, useProviderActions } from './queries.ts'

/** Asks, generates a new signing secret, and shows it once. */
export function RotateSecret({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const { rotate } = useProviderActions()
  const [secret, setSecret] = useState<string>()
  const isRotated = useRef(false)
  if (secret !== undefined) {
    return <SecretDialog title="New signing secret" secret={secret} what="signing secret" onClose={onClose} />
  }
  return (
    <Confirm
      title="Rotate the signing secret?"
      action="Rotate the secret"
      onConfirm={async () => {
        const { secret: made } = await rotate.mutateAsync(provider.provider_id)
        isRotated.current = true
        setSecret(made)
      }}
      onClose={() => isRotated.current || onClose()}
    >
      Webhooks are signed with the old and the new secret for 24 hours. Receivers must know the new one by then.
    </Confirm>
  )
}

interface DeleteProviderProps {
  provider: Provider
  onDeleted: () => void
  onClose: () => void
}

/** Asks before a provider is deleted. */
export function DeleteProvider({ provider, onDeleted, onClose }: DeleteProviderProps) {
  const { remove } = useProviderActions()
  return (
    <Confirm
      title="Delete the provider?"
      action="Delete the provider"
      danger
      onConfirm={async () => {
        await remove.mutateAsync(provider.provider_id)
        showToast({ tone: 'good', text: 'The provider is deleted.' })
        onDeleted()
      }}
      onClose={onClose}
    >
      Nothing more is sent through <PlainText className="text-text">{provider.name}</PlainText>. Receipts of earlier
      messages are processed for seven more days. This cannot be undone.
    </Confirm>
  )
}
