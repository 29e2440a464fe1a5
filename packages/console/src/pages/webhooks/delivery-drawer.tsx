import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useHasPermission } from '../../api/me.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { Drawer, Fact, Facts } from '../../ui/drawer.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { PlainText, TextBlock } from '../../ui/plain-text.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { useDelivery, useReplayDelivery } from './delivery-queries.ts'
import { type Attempt, type Delivery, deliveryStatuses } from './words.ts'

interface DeliveryDrawerProps {
  id: string
  /** Whether its subscription, if it has one, is enabled: a replay requires that. */
  isActive: boolean
  onClose: () => void
}

/** One delivery with its attempts and their answers. */
export function DeliveryDrawer({ id, isActive, onClose }: DeliveryDrawerProps) {
  const { data: delivery, error, refetch } = useDelivery(id)
  const replay =
    delivery && delivery.status !== 'pending' ? <ReplayButton delivery={delivery} isActive={isActive} /> : null
  return (
    <Drawer title={delivery?.event_type ?? 'Delivery'} onClose={onClose} actions={replay}>
      {delivery ? (
        <Details delivery={delivery} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Drawer>
  )
}

/** A message that has arrived is sent again after a confirmation only: the receiver may have passed it on to a person. */
function ReplayButton({ delivery, isActive }: { delivery: Delivery; isActive: boolean }) {
  const { subscription_id, status } = delivery
  const replay = useReplayDelivery(delivery)
  const [isAsking, ask] = useState(false)
  const mayReachTwice = subscription_id === null && status === 'succeeded'
  return (
    <>
      <Button
        busy={replay.isPending}
        disabled={!isActive}
        title={isActive ? undefined : 'The subscription is disabled; enable it first'}
        onClick={() => (mayReachTwice ? ask(true) : replay.mutate())}
      >
        <RotateCcw size={14} aria-hidden />
        Replay
      </Button>
      {isAsking ? (
        <Confirm
          title="Send this message again?"
          action="Send it again"
          onConfirm={async () => void (await replay.mutateAsync())}
          onClose={() => ask(false)}
        >
          It was already delivered. The receiver gets the same body with the same webhook-id, by which it recognises the
          repetition. The message stays delivered whatever it answers.
        </Confirm>
      ) : null}
    </>
  )
}

function Details({ delivery }: { delivery: Delivery }) {
  const { delivery_id, notification_id, status, last_error, next_attempt_at, created_at, finished_at } = delivery
  const webhookId = delivery.request?.headers['webhook-id'] ?? delivery_id.replace(/^whdel_/, 'msg_')
  const maySeeActivity = useHasPermission()('activity:read')
  return (
    <div className="flex flex-col gap-6">
      <Facts>
        <Fact name="Status">
          <Badge tone={deliveryStatuses[status].tone}>{deliveryStatuses[status].name}</Badge>
        </Fact>
        {last_error ? (
          <Fact name="Reason">
            <PlainText>{last_error}</PlainText>
          </Fact>
        ) : null}
        <Fact name="Created">
          <ExactTime at={created_at} />
        </Fact>
        {next_attempt_at ? (
          <Fact name="Next attempt">
            <ExactTime at={next_attempt_at} />
          </Fact>
        ) : null}
        {finished_at ? (
          <Fact name="Finished">
            <ExactTime at={finished_at} />
          </Fact>
        ) : null}
        {notification_id ? (
          <Fact name="Notification">
            {maySeeActivity ? (
              <Link to={`/activity/${notification_id}`} className="text-accent underline underline-offset-2">
                Show in the activity
              </Link>
            ) : (
              <CopyableId id={notification_id} what="notification id" />
            )}
          </Fact>
        ) : null}
        <Fact name="webhook-id">
          <CopyableId id={webhookId} what="webhook-id" />
        </Fact>
      </Facts>
      {delivery.request ? <Request request={delivery.request} /> : null}
      <Attempts attempts={delivery.attempts} />
    </div>
  )
}

/** What every attempt sends; each adds its time and signatures. */
function Request({ request: { headers, body } }: { request: NonNullable<Delivery['request']> }) {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">Request</h3>
      <Facts>
        {Object.entries(headers).map(([name, value]) => (
          <Fact key={name} name={name}>
            <code className="font-mono text-xs">{value}</code>
          </Fact>
        ))}
      </Facts>
      {body === null ? (
        <p className="text-soft">The body has the content of the message, which the activity shows.</p>
      ) : (
        <TextBlock label="Body of the request">{body}</TextBlock>
      )}
      <p className="text-xs text-faint">Each attempt adds its time and signatures.</p>
    </section>
  )
}

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <section>
      <h3 className="pb-2 font-semibold">Attempts</h3>
      {attempts.length === 0 ? <p className="text-soft">None yet.</p> : null}
      <ol className="ml-1.5 border-l border-line">
        {attempts.map((attempt) => (
          <li key={attempt.number} className="relative flex flex-col gap-1 pb-5 pl-5 last:pb-0">
            <span aria-hidden className="absolute top-1.5 -left-[4.5px] size-2 rounded-full bg-line-strong" />
            <p className="flex flex-wrap items-center gap-x-2">
              <span className="font-medium">Attempt {attempt.number}</span>
              <Outcome attempt={attempt} />
            </p>
            <p className="text-faint">
              <ExactTime at={attempt.started_at} />
              {attempt.duration_ms === null ? null : `, took ${attempt.duration_ms} ms`}
            </p>
            {attempt.error && attempt.status === null ? (
              <p className="[overflow-wrap:anywhere] text-soft">
                <PlainText>{attempt.error}</PlainText>
              </p>
            ) : null}
            {attempt.response_excerpt ? (
              <TextBlock label={`Response to attempt ${attempt.number}`}>{attempt.response_excerpt}</TextBlock>
            ) : null}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Outcome({ attempt: { status, error, finished_at } }: { attempt: Attempt }) {
  if (status !== null) return <Badge tone={status >= 200 && status < 300 ? 'good' : 'bad'}>{status}</Badge>
  if (error !== null) return <Badge tone="bad">No answer</Badge>
  return <Badge tone="busy">{finished_at ? 'Ended' : 'Under way'}</Badge>
}
