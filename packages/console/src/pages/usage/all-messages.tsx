import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { channelNames, channels } from '../../channels/table.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { numberText } from '../../ui/number-text.ts'
import { Panel } from '../../ui/panel.tsx'
import type { UsageFilters } from './queries.ts'

const cell = 'px-4 py-1.5 text-right tabular-nums whitespace-nowrap'
const none = { messages: 0, taken: 0, delivered: 0, failed: 0, charged: 0, segments: 0, cost: null }
const counted = ['messages', 'taken', 'delivered', 'failed', 'charged', 'segments'] as const
const heads = ['Messages', 'Taken by carriers', 'Delivered', 'Failed', 'Charged', 'Segments', 'Cost'] as const
/** An element, so that the text of the number is a new one, which has not moved. */
const unread = <span>…</span>

/** All messages of the period by channel, those that cost nothing too, with the money by the price list; `…` until they are read. */
export function AllMessages({ filters }: { filters: UsageFilters }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', 'messages', filters],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/usage/messages', { params: { query: { ...filters, limit: 1 } }, signal })),
    placeholderData: (previous) => previous,
  })
  if (error && !data) {
    return (
      <Panel className="mb-3">
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Panel>
    )
  }
  // Every channel has its row at once, so that nothing moves when the numbers arrive.
  const totals = channels.map(
    (channel) => data?.totals.find((each) => each.channel === channel) ?? { ...none, channel },
  )
  return (
    <Panel className="mb-3">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard (WCAG 2.1.1) */}
      <section aria-label="Scrollable table" tabIndex={0} className="overflow-x-auto">
        <table aria-label="All messages by channel" className="w-full border-collapse">
          <thead>
            <tr className="border-b border-line text-left text-xs text-faint">
              <th className="px-4 py-1.5 font-medium">Channel</th>
              {heads.map((head) => (
                <th key={head} className="px-4 py-1.5 text-right font-medium">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {totals.map(({ channel, cost, ...counts }) => (
              <tr key={channel} className="border-b border-line last:border-0">
                <th className="px-4 py-1.5 text-left font-normal">{channelNames[channel]}</th>
                {counted.map((name) => (
                  <td key={name} className={cell}>
                    {data ? numberText(counts[name]) : unread}
                  </td>
                ))}
                <td className={`${cell} min-w-24`}>
                  {!data ? (
                    unread
                  ) : cost === null ? (
                    <span className="text-faint">No price</span>
                  ) : (
                    `${cost} ${data.currency}`
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  )
}
