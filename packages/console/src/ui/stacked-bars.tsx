/** A series of the bars: its name, and the CSS class of its colour. */
export interface Series {
  name: string
  fill: string
}

export interface Bar {
  label: string
  /** A count for each series, in their order. */
  counts: readonly number[]
}

const unit = 10
const gap = 1.5
const height = 100

const totalOf = ({ counts }: Bar) => counts.reduce((sum, count) => sum + count, 0)

/** Bars of counts over time. Only an image: provide the same numbers in a table beside it. */
export function StackedBars({
  label,
  series,
  bars,
}: {
  label: string
  series: readonly Series[]
  bars: readonly Bar[]
}) {
  const most = Math.max(1, ...bars.map(totalOf))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(1, bars.length) * unit} ${height}`}
      preserveAspectRatio="none"
      className="block h-20 w-full"
    >
      {bars.map((bar, at) => (
        <BarOf key={bar.label} bar={bar} x={at * unit + gap / 2} series={series} perItem={height / most} />
      ))}
    </svg>
  )
}

interface BarOfProps {
  bar: Bar
  x: number
  series: readonly Series[]
  perItem: number
}

function BarOf({ bar, x, series, perItem }: BarOfProps) {
  let top = height
  const described = series.flatMap(({ name }, at) => (bar.counts[at] ? [`${name} ${bar.counts[at]}`] : []))
  return (
    <g>
      <title>{`${bar.label}: ${described.join(', ') || 'none'}`}</title>
      <rect x={x} y={0} width={unit - gap} height={height} className="fill-transparent" />
      {series.map(({ name, fill }, at) => {
        const tall = (bar.counts[at] ?? 0) * perItem
        top -= tall
        return tall > 0 ? <rect key={name} x={x} y={top} width={unit - gap} height={tall} className={fill} /> : null
      })}
    </g>
  )
}

/** The numbers of the bars as text, for screen readers. */
export function BarTable({ label, series, bars }: { label: string; series: readonly Series[]; bars: readonly Bar[] }) {
  return (
    <table aria-label={label} className="w-full border-collapse tabular-nums">
      <thead>
        <tr className="text-xs text-faint">
          <th className="py-1 text-left font-medium">Time</th>
          {series.map(({ name }) => (
            <th key={name} className="py-1 pl-4 text-right font-medium whitespace-nowrap">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.map((bar) => (
          <tr key={bar.label} className="border-t border-line">
            <th className="py-1 text-left font-normal whitespace-nowrap">{bar.label}</th>
            {series.map(({ name }, at) => (
              <td key={name} className="py-1 pl-4 text-right">
                {bar.counts[at]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
