import { useNavigate } from 'react-router'
import { Confirm } from '../../ui/confirm.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { useSubscriptionActions } from './queries.ts'
import type { Subscription } from './words.ts'

interface DecisionProps {
  subscription: Subscription
  onClose: () => void
}

export function DisableSubscription({ subscription, onClose }: DecisionProps) {
  const { change } = useSubscriptionActions(subscription.subscription_id)
  return (
    <Confirm
      title="Disable the subscription?"
      action="Disable the subscription"
      onConfirm={() => change.mutateAsync({ status: 'disabled' })}
      onClose={onClose}
    >
      No event is sent to <Address subscription={subscription} /> until it is enabled again. What happens meanwhile is
      not sent later.
    </Confirm>
  )
}

export function RotateSecret({
  subscription,
  onSecret,
  onClose,
}: DecisionProps & { onSecret: (secret: string) => void }) {
  const { rotate } = useSubscriptionActions(subscription.subscription_id)
  return (
    <Confirm
      title="Rotate the signing secret?"
      action="Rotate the secret"
      onConfirm={async () => onSecret((await rotate.mutateAsync()).secret)}
      onClose={onClose}
    >
      You get a new secret, shown once. Webhooks are signed with both secrets for 24 hours; give the receiver the new
      one until then.
    </Confirm>
  )
}

export function DeleteSubscription({ subscription, onClose }: DecisionProps) {
  const { remove } = useSubscriptionActions(subscription.subscription_id)
  const navigate = useNavigate()
  const confirm = async () => {
    await remove.mutateAsync()
    await navigate('/webhooks', { replace: true })
  }
  return (
    <Confirm
      title="Delete the subscription?"
      action="Delete the subscription"
      danger
      onConfirm={confirm}
      onClose={onClose}
    >
      <Address subscription={subscription} /> receives no further events, and the record of its deliveries is lost. This
      cannot be undone.
    </Confirm>
  )
}

/** Shortened: the page behind the dialog shows the whole address. */
const longestShown = 160

function Address({ subscription: { url } }: { subscription: Subscription }) {
  const shown = url.length > longestShown ? `${url.slice(0, longestShown)}…` : url
  return <PlainText className="font-medium [overflow-wrap:anywhere] text-text">{shown}</PlainText>
}
