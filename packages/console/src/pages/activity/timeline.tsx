import { Link } from 'react-router'
import { useHasPermission } from '../../api/me.ts'
import type { Channel } from '../../channels/channel.ts'
import { channelPages } from '../../channels/table.ts'
import { Badge } from '../../ui/badge.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { duration, ExactTime } from '../../ui/time.tsx'
import { type ActivityAttempt, outcomes } from './words.ts'

/** The attempts, their times, and the carrier's answers. */
export function Timeline({ attempts, channel }: { attempts: readonly ActivityAttempt[]; channel: Channel }) {
  return (
    <section>
      <h3 className="pb-2 font-semibold">Attempts</h3>
      {attempts.length === 0 ? (
        <p className="text-soft">{channelPages[channel].noAttempts ?? 'None yet.'}</p>
      ) : (
        <ol className="ml-1.5 border-l border-line">
          {attempts.map((attempt) => (
            <li key={attempt.attempt_id} className="relative pb-5 pl-5 last:pb-0">
              <span aria-hidden className="absolute top-1.5 -left-[4.5px] size-2 rounded-full bg-line-strong" />
              <Attempt attempt={attempt} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function Attempt({ attempt }: { attempt: ActivityAttempt }) {
  const outcome = outcomeOf(attempt)
  const maySeeDeliveries = useHasPermission()('webhooks:manage')
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium">Attempt {attempt.number}</span>
        {outcome ? <Badge tone={outcome.tone}>{outcome.name}</Badge> : <Badge tone="busy">Under way</Badge>}
        {attempt.provider_name ? <PlainText className="text-soft">{attempt.provider_name}</PlainText> : null}
      </p>
      <p className="text-faint">
        <ExactTime at={attempt.started_at} />
        {attempt.finished_at ? `, took ${duration(attempt.started_at, attempt.finished_at)}` : null}
      </p>
      {attempt.provider_code || attempt.provider_message ? (
        <p className="rounded-md bg-sunken px-2.5 py-1.5 [overflow-wrap:anywhere]">
          {attempt.provider_code && !attempt.provider_message?.startsWith(attempt.provider_code) ? (
            <code className="mr-2 font-mono text-xs">{attempt.provider_code}</code>
          ) : null}
          {attempt.provider_message ? <PlainText>{attempt.provider_message}</PlainText> : null}
        </p>
      ) : null}
      {attempt.delivery_id !== null && maySeeDeliveries ? (
        <p>
          <Link to={`/webhooks/deliveries/${attempt.delivery_id}`} className="text-accent underline underline-offset-2">
            Request and answer
          </Link>
        </p>
      ) : null}
      {attempt.provider_message_id ? (
        <p className="font-mono text-xs [overflow-wrap:anywhere] text-faint">{attempt.provider_message_id}</p>
      ) : null}
      <Receipts receipts={attempt.receipts} />
    </div>
  )
}

/** Taken by the carrier is no success when the carrier reported afterwards that the message did not arrive. */
function outcomeOf({ outcome, receipts }: ActivityAttempt) {
  if (outcome === null) return null
  const isLost = receipts?.some(({ status }) => status === 'failed' || status === 'undelivered')
  const isThere = receipts?.some(({ status }) => status === 'delivered' || status === 'read')
  return outcome === 'accepted' && isLost && !isThere
    ? { ...outcomes.accepted, tone: 'warn' as const }
    : outcomes[outcome]
}

function Receipts({ receipts }: Pick<ActivityAttempt, 'receipts'>) {
  if (receipts === null) return <p className="text-faint">The carrier's reports cannot be read at the moment.</p>
  if (receipts.length === 0) return null
  return (
    <ul className="flex flex-col gap-0.5">
      {receipts.map(({ status, received_at }) => (
        <li key={`${status} ${received_at}`} className="text-soft">
          Carrier reported <span className="font-medium text-text">{status}</span>,{' '}
          <span className="text-faint">
            <ExactTime at={received_at} />
          </span>
        </li>
      ))}
    </ul>
  )
}
