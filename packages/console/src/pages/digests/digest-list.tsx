import { useNavigate } from 'react-router'
import { channelNames } from '../../channels/table.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { ApplicationSwitch } from '../../ui/application-choice.tsx'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { numberText } from '../../ui/number-text.ts'
import { useCursor } from '../../ui/pager.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { type Digest, type Filters, useCloseDigest, useDigests } from './queries.ts'

const columns: Column<Digest>[] = [
  {
    id: 'recipient',
    header: 'Recipient',
    cell: ({ recipient_masked, mode }) => (
      <>
        <PlainText>{recipient_masked}</PlainText> {mode === 'test' ? <Badge>Test</Badge> : null}
      </>
    ),
    grow: 'always',
  },
  {
    id: 'event',
    header: 'Event',
    cell: ({ event_key }) => <code className="font-mono text-xs">{event_key}</code>,
    wide: true,
  },
  { id: 'channel', header: 'Channel', cell: ({ channel }) => channelNames[channel], wide: true },
  { id: 'items', header: 'Items', cell: ({ items }) => numberText(items), align: 'right' },
  timeColumn('Begun', ({ opened_at }) => opened_at, { wide: true }),
  timeColumn('Closes', ({ closes_at }) => closes_at),
]

/** Messages that wait to be sent together, and the button that sends them now. */
export function DigestList({ applicationId }: { applicationId: string }) {
  const navigate = useNavigate()
  const address = useAddressFilters<Filters>(['event_key'])
  const list = useDigests(applicationId, address.filters, useCursor())
  const close = useCloseDigest(applicationId)
  const send: Column<Digest> = {
    id: 'send',
    header: 'Send',
    cell: ({ digest_id, recipient_masked }) => (
      <PermittedButton
        needs="activity:retry"
        busy={close.isPending && close.variables === digest_id}
        aria-label={`Send the digest to ${recipient_masked} now`}
        onClick={() => close.mutate(digest_id)}
      >
        Now
      </PermittedButton>
    ),
    align: 'right',
  }
  return (
    <ListPage
      title="Digests"
      lead="Messages of an event to one recipient that wait to be sent as one."
      address={address}
      searchBy="event_key"
      searchLabel="Key of an event"
      filters={<ApplicationSwitch value={applicationId} onChange={(id) => void navigate(`/digests/${id}`)} />}
      list={list}
      columns={[...columns, send]}
      rowId={({ digest_id }) => digest_id}
      noneFound="No digest of this event is open"
      noneYet={
        <EmptyState title="No digest is open">Messages of an event with a digest wait here until it closes.</EmptyState>
      }
    />
  )
}
