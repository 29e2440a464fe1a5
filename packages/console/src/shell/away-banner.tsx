import { useEffect, useState } from 'react'
import { lastAnswer, useGatewayAway } from '../api/connection.ts'
import { age } from '../ui/time.tsx'

/** Says that the gateway does not answer, and how old the page is. */
export function AwayBanner() {
  const isAway = useGatewayAway()
  const answeredAt = lastAnswer()
  return (
    <div role="status">
      {isAway ? (
        <p className="border-b border-line bg-warn-fill px-6 py-1.5 text-warn">
          The gateway does not answer. What you see {answeredAt === undefined ? 'may be old' : <Age at={answeredAt} />}.
          It is asked again by itself.
        </p>
      ) : null}
    </div>
  )
}

/** Counts the seconds. Screen readers announce the banner, but not each second. */
function Age({ at }: { at: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return <span aria-live="off">was updated {age(at, now)}</span>
}
