import type { components } from '@notify/sdk'

const height = 20
const barWidth = 4

/** A bar for each hour or day; the numbers are read out as one sentence. */
export function Trend({ group }: { group: components['schemas']['FailureGroup'] }) {
  const { buckets, failures, failures_before } = group
  const most = Math.max(...buckets, 1)
  return (
    <svg
      role="img"
      aria-label={`${failures} failures, ${failures_before} before; most in one bucket: ${most}`}
      width={buckets.length * (barWidth + 1)}
      height={height}
      className="block fill-[var(--chart-2)]"
    >
      {buckets.map((count, at) => {
        const high = count === 0 ? 1 : Math.max(2, (count / most) * height)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bucket is identified by its position
          <rect key={at} x={at * (barWidth + 1)} y={height - high} width={barWidth} height={high} />
        )
      })}
    </svg>
  )
}
