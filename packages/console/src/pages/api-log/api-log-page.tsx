import { useAddressFilters } from '../../ui/address-filters.ts'
import { ApplicationFilter } from '../../ui/application-choice.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterChoice } from '../../ui/filter-choice.tsx'
import { FilterText } from '../../ui/filter-controls.tsx'
import { rememberApplication, useFirstApplication } from '../../ui/first-application.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { type Mode, useMode } from '../../ui/mode.ts'
import { numberText } from '../../ui/number-text.ts'
import { ofMode } from '../../ui/of-mode.ts'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { type ApiRequest, type RequestFilters, useRequests } from './queries.ts'

const names = ['application_id', 'outcome', 'code', 'request_id'] as const
const outcomes = [{ value: 'refused', label: 'Refused' }]

const toneOf = (status: number): Tone => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good')

const columns: Column<ApiRequest>[] = [
  {
    id: 'request',
    header: 'Request',
    cell: ({ method, path }) => (
      <code className="block truncate font-mono text-xs">
        {method} {path}
      </code>
    ),
    grow: 'always',
  },
  { id: 'status', header: 'Status', cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge> },
  {
    id: 'code',
    header: 'Code',
    cell: ({ code }) =>
      code && (
        <a href={`/docs/errors/${code}`} className="text-accent underline underline-offset-2">
          {code}
        </a>
      ),
    wide: true,
  },
  {
    id: 'id',
    header: 'Request id',
    cell: ({ request_id }) => <PlainText className="block max-w-64 truncate font-mono text-xs">{request_id}</PlainText>,
    wide: true,
  },
  {
    id: 'key',
    header: 'Key',
    cell: ({ key_id }) => <code className="font-mono text-xs text-soft">…{key_id.slice(-6)}</code>,
    wide: true,
  },
  timeColumn('When', ({ requested_at }) => requested_at),
]

/** What an empty list says. */
const chosen = (mode: Mode | undefined) => ({
  noneFound: 'No request matches these filters',
  noneFoundHint: 'Requests are kept for 7 days. One whose key is not known has no application, and is not listed.',
  noneYet: (
    <EmptyState title={`No ${ofMode(mode, 'requests')} yet`}>
      Send one with an API key of this application; it appears here within seconds, also if it is refused.
    </EmptyState>
  ),
})
const unchosen = {
  noneFound: 'Choose an application',
  noneFoundHint: 'Requests are listed for each application.',
  noneYet: <EmptyState title="Choose an application">Requests are listed for each application.</EmptyState>,
}

/** The requests with the API keys of an application, refusals too. */
export function ApiLogPage() {
  const address = useAddressFilters<RequestFilters>(names)
  const { first, isLoading } = useFirstApplication()
  const application = address.filters.application_id ?? first
  const isUnchosen = application === undefined && !isLoading
  const choose = (id: string) => {
    if (id) rememberApplication(id)
    address.set('application_id', id)
  }
  const { mode } = useMode()
  const list = useRequests(application, { ...address.filters, mode }, useCursor())
  const notStored = list.data?.not_stored ?? []
  return (
    <>
      <ListPage
        title="API log"
        lead="Requests with API keys of the last 7 days, also those that were refused. The list updates by itself."
        address={address}
        searchBy="request_id"
        searchLabel="Request id"
        filters={
          <>
            <ApplicationFilter value={application ?? ''} onChange={choose} />
            <FilterChoice label="Outcome" options={outcomes} {...address.field('outcome')} />
            <FilterText label="Code" className="max-md:w-full md:w-48" {...address.field('code')} />
          </>
        }
        list={isUnchosen ? { ...list, data: { items: [], next_cursor: null } } : list}
        columns={columns}
        rowId={({ request_id, requested_at }) => `${requested_at} ${request_id}`}
        {...(isUnchosen ? unchosen : chosen(mode))}
      />
      {notStored.length > 0 ? (
        <p className="pt-3 text-soft">
          Many requests came at once, and these were only counted:{' '}
          {notStored
            .map(({ status, code, requests }) => `${numberText(requests)} × ${status}${code ? ` ${code}` : ''}`)
            .join(', ')}
          .
        </p>
      ) : null}
    </>
  )
}
