import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { useAddress } from '../../ui/address.ts'
import { Button } from '../../ui/button.tsx'
import { numberText } from '../../ui/number-text.ts'
import { Panel } from '../../ui/panel.tsx'
import { BarTable, StackedBars } from '../../ui/stacked-bars.tsx'
import { Skeleton } from '../../ui/states.tsx'
import type { Filters } from './filters.tsx'
import { barsOf, canBeSummarized, type Dimension, intervalOf, type Summary, titleOf } from './summary.ts'

const pollMs = 15_000
const titles = { status: 'By status', channel: 'By channel' } as const

/** Counts over time of the items that match the filters, as bars or as a table. */
export function SummaryPanel({ filters, paused }: { filters: Filters; paused: boolean }) {
  const { by, asTable, set } = useView()
  const { data, isError } = useSummary(filters, paused)
  if (!canBeSummarized(filters) || isError) return null
  return (
    <Panel className="mb-3">
      <section aria-label="Counts over time" className="p-3">
        <div className="flex flex-wrap items-center gap-1 pb-2">
          <h2 className="flex-1 pl-1 font-medium">{data ? titleOf(data) : 'Counts'}</h2>
          {(['status', 'channel'] as const).map((each) => (
            <Choice key={each} chosen={by === each} onChoose={() => set('by', each === 'status' ? '' : each)}>
              {titles[each]}
            </Choice>
          ))}
          <Choice chosen={asTable} onChoose={() => set('counts', asTable ? '' : 'table')}>
            Table
          </Choice>
        </div>
        <div className="min-h-[121px]">
          {data ? <Counts summary={data} by={by} asTable={asTable} /> : <Skeleton lines={4} />}
        </div>
      </section>
    </Panel>
  )
}

function useView() {
  const { search, change } = useAddress()
  const by: Dimension = search.get('by') === 'channel' ? 'channel' : 'status'
  const set = (name: 'by' | 'counts', value: string) => change({ [name]: value }, { replace: true })
  return { by, asTable: search.get('counts') === 'table', set }
}

function useSummary(filters: Filters, paused: boolean) {
  const { channel, status, mode, application_id, from, to } = filters
  const query = Object.fromEntries(
    Object.entries({ channel, status, mode, application_id, from, to }).filter(([, value]) => value),
  )
  return useQuery({
    queryKey: ['activity', 'summary', query],
    queryFn: ({ signal }) => {
      const interval = intervalOf(filters, Date.now())
      return answer(api.GET('/api/v1/activity/summary', { params: { query: { ...query, interval } }, signal }))
    },
    enabled: canBeSummarized(filters),
    refetchInterval: paused ? false : pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}

function Choice({ chosen, onChoose, children }: { chosen: boolean; onChoose: () => void; children: string }) {
  return (
    <Button kind={chosen ? 'plain' : 'quiet'} aria-pressed={chosen} onClick={onChoose}>
      {children}
    </Button>
  )
}

function Counts({ summary, by, asTable }: { summary: Summary; by: Dimension; asTable: boolean }) {
  const { series, bars } = barsOf(summary, by)
  const label = `Items per ${summary.interval}, ${titles[by].toLowerCase()}`
  if (asTable) {
    return (
      <section
        aria-label="Counts"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard (WCAG 2.1.1)
        tabIndex={0}
        className="max-h-64 overflow-auto px-1"
      >
        <BarTable label={label} series={series} bars={bars} />
      </section>
    )
  }
  return (
    <div className="px-1">
      <StackedBars label={label} series={series} bars={bars} />
      <div className="flex justify-between border-t border-line pt-1 text-xs text-faint tabular-nums">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <ul className="flex min-h-5 flex-wrap gap-x-4 gap-y-0.5 pt-1 text-xs">
        {series.map(({ name, fill, total }) => (
          <li key={name} className="flex items-center gap-1.5">
            <svg viewBox="0 0 8 8" className="size-2" aria-hidden>
              <rect width={8} height={8} rx={2} className={fill} />
            </svg>
            <span className="text-soft">{name}</span> <span className="tabular-nums">{numberText(total)}</span>
          </li>
        ))}
        {series.length === 0 ? <li className="text-faint">Nothing in this time.</li> : null}
      </ul>
    </div>
  )
}
