import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Form } from '../../ui/form.tsx'
import { useSubscriptionActions } from './queries.ts'
import { type SubscriptionDraft, SubscriptionFields } from './subscription-form.tsx'
import type { Subscription } from './words.ts'

export function ChangeSubscription({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const { subscription_id, url, events, description } = subscription
  const draft = useDraft<SubscriptionDraft>(`webhook-${subscription_id}`, { url, events, description })
  const { change } = useSubscriptionActions(subscription_id)
  const close = () => {
    draft.clear()
    onClose()
  }
  const submit = async () => {
    await change.mutateAsync({ ...draft.value, url: draft.value.url.trim() })
    close()
  }
  return (
    <Dialog title="Change the subscription" onClose={close}>
      <Form action="Save" onSubmit={submit} onCancel={close}>
        <SubscriptionFields value={draft.value} onChange={(changes) => draft.set({ ...draft.value, ...changes })} />
      </Form>
    </Dialog>
  )
}
