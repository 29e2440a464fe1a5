import { Badge, type Tone } from '../../ui/badge.tsx'
import { numberText } from '../../ui/number-text.ts'
import type { Broadcast } from './queries.ts'

const states: Record<Broadcast['status'], { name: string; tone: Tone }> = {
  running: { name: 'Running', tone: 'busy' },
  paused: { name: 'Paused', tone: 'warn' },
  cancelled: { name: 'Cancelled', tone: 'quiet' },
  completed: { name: 'Completed', tone: 'good' },
}

export const StateBadge = ({ status }: Pick<Broadcast, 'status'>) => (
  <Badge tone={states[status].tone}>{states[status].name}</Badge>
)

/** How far a broadcast is. Members who left the list since its start make it end before the bar is full. */
export function Progress({ broadcast: { broadcast_id, total, accepted, refused } }: { broadcast: Broadcast }) {
  const reached = accepted + refused
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2">
      <progress
        aria-label={`Progress of broadcast ${broadcast_id}`}
        max={Math.max(total, reached, 1)}
        value={reached}
        className="h-1.5 w-24"
      />
      <span className="tabular-nums">
        {numberText(reached)} of {numberText(total)}
      </span>
    </span>
  )
}
