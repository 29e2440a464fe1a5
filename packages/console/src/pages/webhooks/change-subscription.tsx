import { useMemo } from 'react'
import type { Named } from '../../edits/compare-texts.ts'
import { EditForm } from '../../edits/edit-form.tsx'
import { useEdits } from '../../edits/use-edits.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useReadSubscription, useSubscriptionActions } from './queries.ts'
import { type SubscriptionDraft, SubscriptionFields } from './subscription-form.tsx'
import type { Subscription } from './words.ts'

const storedOf = ({ url, events, description, updated_at }: Subscription) => ({
  form: { url, events, description },
  revision: updated_at,
})

const textsOf = ({ url, events, description }: SubscriptionDraft): Named[] => [
  ['Address', url],
  ['Events', events.join('\n')],
  ['Description', description],
]

export function ChangeSubscription({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const { subscription_id } = subscription
  const { change } = useSubscriptionActions(subscription_id)
  const read = useReadSubscription(subscription_id)
  const edits = useEdits<SubscriptionDraft>({
    name: `webhook-edits:${subscription_id}`,
    stored: useMemo(() => storedOf(subscription), [subscription]),
    errorsOf: () => [],
    write: async (form, expected_updated_at) =>
      storedOf(await change.mutateAsync({ ...form, url: form.url.trim(), expected_updated_at })),
    reread: async () => storedOf(await read()),
  })
  const giveUp = () => {
    edits.discard()
    onClose()
  }
  return (
    <Dialog title="Change the subscription" onClose={giveUp}>
      <EditForm action="Save" edits={edits} textsOf={textsOf} onSaved={onClose} onCancel={giveUp}>
        <SubscriptionFields value={edits.form} onChange={(changes) => edits.set({ ...edits.form, ...changes })} />
      </EditForm>
    </Dialog>
  )
}
