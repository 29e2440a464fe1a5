import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import type { Channel } from '../../channels/channel.ts'
import { channelNames } from '../../channels/table.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import type { Column } from '../../ui/data-table.tsx'
import { FilterChoice } from '../../ui/filter-choice.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { useMode } from '../../ui/mode.ts'
import { numberText } from '../../ui/number-text.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Trend } from './trend.tsx'

type FailureGroup = components['schemas']['FailureGroup']

interface Filters {
  period?: '24h' | '7d' | '30d'
  channel?: Channel
}

const pollMs = 15_000
const periods = [
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
]
const channelOptions = Object.entries(channelNames).map(([value, label]) => ({ value, label }))

const columns: Column<FailureGroup>[] = [
  {
    id: 'provider',
    header: 'Provider',
    cell: ({ provider_name, channel }) => (
      <>
        <PlainText>{provider_name}</PlainText> <span className="text-faint">{channelNames[channel]}</span>
      </>
    ),
    wide: true,
  },
  { id: 'code', header: 'Code', cell: ({ code }) => <code className="font-mono text-xs">{code}</code> },
  {
    id: 'meaning',
    header: 'Meaning',
    cell: ({ code, meaning }) => (
      <PlainText className="block truncate text-soft">
        {withoutCode(meaning, code) || 'The carrier gave no reason'}
      </PlainText>
    ),
    grow: 'always',
  },
  { id: 'trend', header: 'Trend', cell: (group) => <Trend group={group} />, wide: true },
  {
    id: 'failures',
    header: 'Failures',
    cell: ({ failures, failures_before }) => (
      <>
        {numberText(failures)} <span className="text-xs text-faint">before: {numberText(failures_before)}</span>
      </>
    ),
    align: 'right',
  },
]

/** The meaning repeats its code. */
const withoutCode = (meaning: string | null, code: string) =>
  meaning?.startsWith(`${code} `) ? meaning.slice(code.length + 1) : meaning

/** What carriers refused or lost, by provider and code. */
export function FailuresPage() {
  const { filters: chosen, field } = useAddressFilters<Filters>(['period', 'channel'])
  const { mode } = useMode()
  const filters = { ...chosen, ...(mode && { mode }) }
  const list = useQuery({
    queryKey: ['failures', filters],
    queryFn: async ({ signal }) => {
      const { items } = await answer(api.GET('/api/v1/failures', { params: { query: filters }, signal }))
      return { items, next_cursor: null }
    },
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
  return (
    <>
      <PageHeader
        title="Failures"
        lead="What carriers refused or lost, by provider and code, the most frequent first, beside the time before."
      />
      <search className="flex flex-wrap gap-2 pb-3">
        <select
          aria-label="Period"
          className="control !w-auto"
          value={field('period').value || '24h'}
          onChange={({ target }) => field('period').onChange(target.value === '24h' ? '' : target.value)}
        >
          {[{ value: '24h', label: '24 hours' }, ...periods].map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <FilterChoice label="Channel" options={channelOptions} {...field('channel')} />
      </search>
      <ListPanel
        list={list}
        label="Failures"
        columns={columns}
        rowId={({ provider_id, channel, code }) => `${provider_id} ${channel} ${code}`}
        empty={<EmptyState title="No failures">No carrier has refused or lost a message in this time.</EmptyState>}
      />
    </>
  )
}
