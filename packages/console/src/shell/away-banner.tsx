import { useQuery } from '@tanstack/react-query'
import { lastAnswer, pollEvery, useGatewayAway } from '../api/connection.ts'
import { Time } from '../ui/time.tsx'

/** Says that the gateway does not answer, and how old the page is. */
export function AwayBanner() {
  const isAway = useGatewayAway()
  const answeredAt = lastAnswer()
  return <div role="status">{isAway ? <Away since={answeredAt} /> : null}</div>
}

const pollMs = 5000

function Away({ since }: { since: number | undefined }) {
  // A page that polls nothing would not notice that the gateway is back.
  useQuery({ queryKey: ['me'], refetchInterval: pollEvery(pollMs) })
  return (
    <p className="border-b border-line bg-warn-fill px-6 py-1.5 text-warn">
      The gateway does not answer. What you see {since === undefined ? 'may be old' : <Updated at={since} />}.
    </p>
  )
}

/** Screen readers announce the banner, but not each change of the age. */
function Updated({ at }: { at: number }) {
  return (
    <span aria-live="off">
      was updated <Time at={new Date(at).toISOString()} />
    </span>
  )
}
