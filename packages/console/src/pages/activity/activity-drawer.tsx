import { RotateCcw } from 'lucide-react'
import { Link } from 'react-router'
import { channelNames } from '../../channels/table.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { Drawer, Fact, Facts } from '../../ui/drawer.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { MaskedRecipient } from '../../ui/masked-recipient.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { ContentPanel } from './content-panel.tsx'
import { useActivityItem, useRetry } from './queries.ts'
import { Timeline } from './timeline.tsx'
import { type ActivityDetail, languageOf, statuses } from './words.ts'

/** One item: its properties and its delivery attempts. */
export function ActivityDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const retry = useRetry()
  const { data: item, error, refetch } = useActivityItem(id)
  const title = item ? `${channelNames[item.channel]} to ${item.recipient_masked}` : 'Item'
  return (
    <Drawer title={title} onClose={onClose} actions={item ? <RetryButton item={item} retry={retry} /> : null}>
      {item ? (
        <Details item={item} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Drawer>
  )
}

interface RetryButtonProps {
  item: ActivityDetail
  retry: ReturnType<typeof useRetry>
}

function RetryButton({ item, retry }: RetryButtonProps) {
  if (!item.retryable && !retry.isPending) return null
  return (
    <PermittedButton needs="activity:retry" busy={retry.isPending} onClick={() => retry.mutate(item)}>
      <RotateCcw size={14} aria-hidden />
      Retry
    </PermittedButton>
  )
}

function Details({ item }: { item: ActivityDetail }) {
  const { tone, name } = statuses[item.status]
  return (
    <div className="flex flex-col gap-6">
      <Facts>
        <Fact name="Status">
          <Badge tone={tone}>{name}</Badge>
        </Fact>
        {item.failure_reason ? (
          <Fact name="Reason">
            <PlainText>{item.failure_reason}</PlainText>
          </Fact>
        ) : null}
        <Fact name="Recipient">
          <MaskedRecipient of={item} />
        </Fact>
        <Fact name="Application">
          <PlainText>{item.application_name}</PlainText> {item.mode === 'test' ? <Badge>Test</Badge> : null}
        </Fact>
        {item.event_key ? (
          <Fact name="Event">
            <code className="font-mono text-xs">{item.event_key}</code>
          </Fact>
        ) : null}
        {item.broadcast_id === null ? null : (
          <Fact name="Broadcast">
            <Link to={`/broadcasts/${item.broadcast_id}`} className="text-accent underline underline-offset-2">
              The broadcast that sent it
            </Link>
          </Fact>
        )}
        {item.digest_id === null ? null : (
          <Fact name="Digest">
            <Link to={`/activity?digest_id=${item.digest_id}`} className="text-accent underline underline-offset-2">
              Its items and its message
            </Link>
          </Fact>
        )}
        {item.locale !== null || item.requested_locale !== null ? (
          <Fact name="Language">{languageOf(item)}</Fact>
        ) : null}
        <Fact name="Created">
          <ExactTime at={item.created_at} />
        </Fact>
        {item.retry_count > 0 ? <Fact name="Retries">{item.retry_count}</Fact> : null}
        <Fact name="Id">
          <CopyableId id={item.transaction_id} what="id" />
        </Fact>
        {item.trace_id ? (
          <Fact name="Trace">
            <CopyableId id={item.trace_id} what="trace id" />
          </Fact>
        ) : null}
      </Facts>
      {item.otp ? <Code code={item.otp} /> : null}
      {item.transaction_id.startsWith('notif_') ? <ContentPanel id={item.transaction_id} /> : null}
      <Timeline attempts={item.attempts} channel={item.channel} />
    </div>
  )
}

/** The state of a one-time code; the code itself is never shown. */
function Code({ code }: { code: NonNullable<ActivityDetail['otp']> }) {
  return (
    <section>
      <h3 className="pb-2 font-semibold">Code</h3>
      <Facts>
        <Fact name="Expires">
          <ExactTime at={code.expires_at} />
        </Fact>
        <Fact name="Verified">{code.verified_at ? <ExactTime at={code.verified_at} /> : 'No'}</Fact>
        <Fact name="Tries left">{code.attempts_remaining}</Fact>
        <Fact name="Sends left">{code.resends_remaining}</Fact>
      </Facts>
    </section>
  )
}
