import { Panel } from '../../ui/panel.tsx'
import { ExactTime } from '../../ui/time.tsx'
import type { Subscription } from './words.ts'

/** The progress of the latest replay. */
export function ReplayProgress({ replay }: { replay: NonNullable<Subscription['replay']> }) {
  const { since, count, replayed, finished_at } = replay
  return (
    <Panel className="mb-4">
      <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
        <p className="min-w-0 flex-1 basis-60">
          {finished_at ? (
            <>
              Replay of what was exhausted since <ExactTime at={since} />: {replayed} sent again, finished{' '}
              <ExactTime at={finished_at} />
            </>
          ) : (
            <>
              Replaying what was exhausted since <ExactTime at={since} />: {replayed} of {count}
            </>
          )}
        </p>
        {finished_at ? null : (
          <progress aria-label="Replayed" value={replayed} max={Math.max(count, 1)} className="h-1.5 w-40" />
        )}
      </div>
    </Panel>
  )
}
