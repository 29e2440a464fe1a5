import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { Button } from '../../ui/button.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { CreateSubscription } from './create-subscription.tsx'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { SubscriptionDetail } from './subscription-detail.tsx'
import { SubscriptionList } from './subscription-list.tsx'

/** The webhook subscriptions, or one of them; beside them a delivery without one, of a message of the channel `webhook`. */
export function WebhooksPage() {
  const { id, delivery } = useParams()
  const navigate = useNavigate()
  const [secret, setSecret] = useState<string>()
  const { dialog, show, close } = useUrlDialog<'create'>()
  const created = (subscriptionId: string, made: string | undefined) => {
    setSecret(made)
    void navigate(`/webhooks/${subscriptionId}`)
  }
  const create = (
    <Button kind="primary" onClick={() => show('create')}>
      <Plus size={14} aria-hidden />
      Create a subscription
    </Button>
  )
  return (
    <>
      {id && id !== 'deliveries' ? (
        <SubscriptionDetail key={id} id={id} deliveryId={delivery} onSecret={setSecret} />
      ) : (
        <SubscriptionList create={create} />
      )}
      {id === 'deliveries' && delivery ? (
        <DeliveryDrawer key={delivery} id={delivery} isActive onClose={() => void navigate('/webhooks')} />
      ) : null}
      {dialog === 'create' ? <CreateSubscription onCreated={created} onClose={close} /> : null}
      {secret === undefined ? null : (
        <SecretDialog
          title="Signing secret"
          what="signing secret"
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}
