import { ApplicationField } from '../../ui/application-choice.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Form } from '../../ui/form.tsx'
import { useCreateSubscription } from './queries.ts'
import { type SubscriptionDraft, SubscriptionFields } from './subscription-form.tsx'

interface CreateSubscriptionProps {
  /** The id, and the signing secret, which is shown only now. */
  onCreated: (id: string, secret: string | undefined) => void
  onClose: () => void
}

const empty: SubscriptionDraft & { application: string } = {
  application: '',
  url: '',
  events: ['notification.delivered', 'notification.failed'],
  description: '',
}

export function CreateSubscription({ onCreated, onClose }: CreateSubscriptionProps) {
  const draft = useDraft('webhook', empty)
  const create = useCreateSubscription()
  const { value } = draft
  const change = (changes: Partial<typeof empty>) => draft.set({ ...value, ...changes })
  const close = () => {
    draft.clear()
    onClose()
  }
  const submit = async () => {
    const { application, url, events, description } = value
    const { subscription_id, secret } = await create.mutateAsync({
      ...(application ? { application_id: application.trim() } : {}),
      url: url.trim(),
      events,
      description,
    })
    draft.clear()
    onCreated(subscription_id, secret)
  }
  return (
    <Dialog title="Create a subscription" onClose={close}>
      <Form action="Create the subscription" onSubmit={submit} onCancel={close}>
        <ApplicationField
          none="Choose one"
          value={value.application}
          onChange={(application) => change({ application })}
        />
        <SubscriptionFields value={value} onChange={change} />
      </Form>
    </Dialog>
  )
}
