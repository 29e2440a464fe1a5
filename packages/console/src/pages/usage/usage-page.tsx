import { useMemo } from 'react'
import { useNavigate } from 'react-router'
import { useHasPermission } from '../../api/me.ts'
import { channelNames } from '../../channels/table.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { ApplicationFilter } from '../../ui/application-choice.tsx'
import { useApplicationNames } from '../../ui/application-name.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterChoice } from '../../ui/filter-choice.tsx'
import { FilterDay } from '../../ui/filter-controls.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { numberText } from '../../ui/number-text.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { TimePresets } from '../../ui/time-presets.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { AllMessages } from './all-messages.tsx'
import { messagesOf } from './messages-of.ts'
import { PriceListDialog } from './price-list.tsx'
import { type Usage, type UsageFilters, type UsageItem, useUsage } from './queries.ts'

const names = ['from', 'to', 'interval', 'application_id', 'channel'] as const
const channelOptions = Object.entries(channelNames).map(([value, label]) => ({ value, label }))
const number = (value: number) => <span className="tabular-nums">{numberText(value)}</span>

function columnsOf(applications: ReadonlyMap<string, string>): Column<UsageItem>[] {
  return [
    { id: 'period', header: 'Period (UTC)', cell: ({ period }) => <span className="tabular-nums">{period}</span> },
    {
      id: 'application',
      header: 'Application',
      cell: ({ application_id }) => (
        <PlainText className="block truncate">{applications.get(application_id) ?? application_id}</PlainText>
      ),
      grow: 'wide',
      wide: true,
    },
    {
      id: 'channel',
      header: 'Channel',
      cell: ({ channel, category, application_id }) => (
        <span className="block truncate">
          {channelNames[channel]} {category ? <span className="text-soft">{category}</span> : null}
          <PlainText className="block truncate text-xs text-faint md:hidden">
            {applications.get(application_id) ?? application_id}
          </PlainText>
        </span>
      ),
      grow: 'narrow',
    },
    { id: 'messages', header: 'Messages', cell: ({ messages }) => number(messages), align: 'right' },
    { id: 'credits', header: 'Credits', cell: ({ credits }) => number(credits), align: 'right' },
  ]
}

/** Messages and their credits, by day or month. */
export function UsagePage() {
  const { filters, set, clear, field: of } = useAddressFilters<UsageFilters>(names)
  const list = useUsage(filters, useCursor())
  const { data, error } = list
  const navigate = useNavigate()
  const { dialog, show, close } = useUrlDialog<'prices'>()
  const maySeeMessages = useHasPermission()('activity:read')
  const open = (item: UsageItem) =>
    void navigate({ pathname: '/activity', search: String(new URLSearchParams(messagesOf(item))) })
  const applications = useApplicationNames()
  const columns = useMemo(() => columnsOf(applications), [applications])
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <PageHeader
        title="Usage"
        lead={`Messages and credits by period, application and channel. Days are those of UTC.${maySeeMessages ? ' A row opens its messages.' : ''}`}
      >
        <PermittedButton needs="providers:manage" onClick={() => show('prices')}>
          Price list
        </PermittedButton>
      </PageHeader>
      <search className="flex flex-wrap gap-2 pb-3">
        <TimePresets days from={of('from')} to={of('to')} />
        <FilterDay label="From" {...of('from')} />
        <FilterDay label="To" {...of('to')} />
        <select
          aria-label="Period"
          value={filters.interval ?? 'day'}
          onChange={({ target }) => set('interval', target.value === 'day' ? '' : target.value)}
          className="control max-md:!w-24 max-md:flex-1 md:!w-auto"
        >
          <option value="day">By day</option>
          <option value="month">By month</option>
        </select>
        <FilterChoice label="Channel" options={channelOptions} {...of('channel')} />
        <ApplicationFilter {...of('application_id')} />
      </search>
      {error && !data ? null : (
        <>
          <AllMessages filters={filters} />
          <Totals usage={data} />
        </>
      )}
      <ListPanel
        list={list}
        label="Usage"
        columns={columns}
        rowId={({ period, application_id, channel, category }) => `${period} ${application_id} ${channel} ${category}`}
        {...(maySeeMessages ? { onOpen: open } : {})}
        empty={<NoUsage isFiltered={isFiltered} onClear={clear} />}
      />
      {dialog === 'prices' ? <PriceListDialog onClose={close} /> : null}
    </>
  )
}

/** The totals of all pages; `…` until they are read. */
function Totals({ usage }: { usage: Usage | undefined }) {
  return (
    <dl className="mb-3 flex min-h-14 flex-wrap gap-x-10 gap-y-2 rounded-lg border border-line bg-surface px-4 py-2">
      <Total name="Charged messages" value={usage?.totals.messages} />
      <Total name="Credits" value={usage?.totals.credits} />
      {/* As wide as two days, so that it does not move to another line when they arrive. */}
      <div className="min-w-48">
        <dt className="text-xs text-faint">Time</dt>
        <dd className="text-base tabular-nums">{usage ? `${usage.from} to ${usage.to}` : '…'}</dd>
      </div>
    </dl>
  )
}

function Total({ name, value }: { name: string; value: number | undefined }) {
  return (
    <div>
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="text-base font-semibold">{value === undefined ? '…' : number(value)}</dd>
    </div>
  )
}

function NoUsage({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState
        title="No usage matches these filters"
        action={<Button onClick={onClear}>Clear the filters</Button>}
      />
    )
  }
  return (
    <EmptyState title="Nothing has been sent this month">
      Usage counts each message once it is sent. Choose an earlier time, or send something first.
    </EmptyState>
  )
}
