import { Confirm } from '../../ui/confirm.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { type Provider, useProviderActions } from './queries.ts'

interface RotateSecretProps {
  provider: Provider
  /** Shows the new secret, also after the question was closed. */
  onSecret: (secret: string) => void
  onClose: () => void
}

/** Asks, and generates a new signing secret. */
export function RotateSecret({ provider, onSecret, onClose }: RotateSecretProps) {
  const { rotate } = useProviderActions()
  return (
    <Confirm
      title="Rotate the signing secret?"
      action="Rotate the secret"
      onConfirm={async () => onSecret((await rotate.mutateAsync(provider.provider_id)).secret)}
      onClose={onClose}
    >
      Webhooks are signed with the old and the new secret for 24 hours. Receivers must know the new one by then.
    </Confirm>
  )
}

interface DeleteProviderProps {
  provider: Provider
  /** Whether its secret signs webhooks. */
  signs: boolean
  onDeleted: () => void
  onClose: () => void
}

/** Asks before a provider is deleted. */
export function DeleteProvider({ provider, signs, onDeleted, onClose }: DeleteProviderProps) {
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
      messages are processed for seven more days.{' '}
      {signs
        ? 'Subscriptions that name it are signed with its secret until they are changed to name another provider. '
        : ''}
      This cannot be undone.
    </Confirm>
  )
}
