import { Pencil, Send } from 'lucide-react'
import { ApplicationName } from '../../ui/application-name.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { Fact, Facts } from '../../ui/drawer.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { ChangeSubscription } from './change-subscription.tsx'
import { Deliveries } from './deliveries.tsx'
import { useSubscription, useSubscriptionActions } from './queries.ts'
import { ReplayProgress } from './replay-progress.tsx'
import { ReplaySince } from './replay-since.tsx'
import { DeleteSubscription, DisableSubscription, RotateSecret } from './subscription-decisions.tsx'
import { State } from './subscription-list.tsx'
import { disabledReasons, type Subscription } from './words.ts'

interface SubscriptionDetailProps {
  id: string
  /** The delivery whose drawer is open. */
  deliveryId: string | undefined
  /** Shows a new signing secret. */
  onSecret: (secret: string) => void
}

/** One subscription with its deliveries. */
export function SubscriptionDetail({ id, deliveryId, onSecret }: SubscriptionDetailProps) {
  const { data: subscription, error, refetch } = useSubscription(id)
  const { dialog, show, close } = useUrlDialog<'change' | 'disable' | 'rotate' | 'delete' | 'replay'>()
  return (
    <>
      <BackLink to="/webhooks">Webhooks</BackLink>
      <PageHeader title={subscription?.url ?? 'Subscription'}>
        {subscription ? <Actions subscription={subscription} onShow={show} /> : null}
      </PageHeader>
      <Panel className="mb-4">
        <div className="min-h-[176px] p-4">
          {subscription ? (
            <Details subscription={subscription} />
          ) : error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton lines={5} />
          )}
        </div>
      </Panel>
      {subscription ? (
        <>
          {subscription.replay ? <ReplayProgress replay={subscription.replay} /> : null}
          <Deliveries subscription={subscription} openId={deliveryId} onReplay={() => show('replay')} />
          {dialog === 'change' ? <ChangeSubscription subscription={subscription} onClose={close} /> : null}
          {dialog === 'disable' ? <DisableSubscription subscription={subscription} onClose={close} /> : null}
          {dialog === 'rotate' ? (
            <RotateSecret subscription={subscription} onSecret={onSecret} onClose={close} />
          ) : null}
          {dialog === 'delete' ? <DeleteSubscription subscription={subscription} onClose={close} /> : null}
          {dialog === 'replay' ? <ReplaySince subscription={subscription} onClose={close} /> : null}
        </>
      ) : null}
    </>
  )
}

interface ActionsProps {
  subscription: Subscription
  onShow: (dialog: 'change' | 'disable' | 'rotate' | 'delete') => void
}

function Actions({ subscription: { subscription_id, status }, onShow }: ActionsProps) {
  const { change, test } = useSubscriptionActions(subscription_id)
  const isActive = status === 'active'
  return (
    <>
      <Button kind="quiet" onClick={() => onShow('delete')}>
        Delete
      </Button>
      <Button onClick={() => onShow('rotate')}>Rotate the secret</Button>
      <Button onClick={() => onShow('change')}>
        <Pencil size={14} aria-hidden />
        Change
      </Button>
      {isActive ? (
        <Button onClick={() => onShow('disable')}>Disable</Button>
      ) : (
        <Button kind="primary" busy={change.isPending} onClick={() => change.mutate({ status: 'active' })}>
          Enable
        </Button>
      )}
      {isActive ? (
        <Button kind="primary" busy={test.isPending} onClick={() => test.mutate()}>
          <Send size={14} aria-hidden />
          Send a test event
        </Button>
      ) : null}
    </>
  )
}

function Details({ subscription }: { subscription: Subscription }) {
  const { subscription_id, application_id, provider_id, url, events, description, created_at } = subscription
  const { status, disabled_reason, failing_since } = subscription
  return (
    <Facts>
      <Fact name="Status">
        <State subscription={subscription} />{' '}
        {disabled_reason ? <span className="text-soft">{disabledReasons[disabled_reason]}</span> : null}
        {status === 'active' && failing_since ? (
          <span className="text-soft">
            No delivery has succeeded since <ExactTime at={failing_since} />.
          </span>
        ) : null}
      </Fact>
      <Fact name="Address">
        <CopyableId id={url} what="address" />
      </Fact>
      {description ? (
        <Fact name="Description">
          <PlainText>{description}</PlainText>
        </Fact>
      ) : null}
      <Fact name="Events">
        <span className="font-mono text-xs">{events.join(', ')}</span>
      </Fact>
      <Fact name="Application">
        <ApplicationName id={application_id} />
      </Fact>
      <Fact name="Signed by">
        <CopyableId id={provider_id} what="provider id" />
      </Fact>
      <Fact name="Id">
        <CopyableId id={subscription_id} what="subscription id" />
      </Fact>
      <Fact name="Created">
        <ExactTime at={created_at} />
      </Fact>
    </Facts>
  )
}
