import type { Difference, DiffLine } from './compare-texts.ts'

/** The differences, text by text: removed and added lines with their context. */
export function DifferenceView({ differences }: { differences: readonly Difference[] }) {
  if (differences.length === 0) return <p className="text-soft">Nothing differs.</p>
  return (
    <div className="flex flex-col gap-3">
      {differences.map(({ label, lines }) => (
        <div key={label}>
          <h3 className="pb-1 font-medium">{label}</h3>
          <section
            aria-label={`Changes: ${label}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard (WCAG 2.1.1)
            tabIndex={0}
            className="max-h-80 overflow-y-auto rounded-md border border-line font-mono text-xs"
          >
            {lines.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their position
              <Line key={at} line={line} />
            ))}
          </section>
        </div>
      ))}
    </div>
  )
}

const looks = {
  same: { className: 'text-soft', sign: ' ', word: '' },
  added: { className: 'bg-good-fill text-good', sign: '+', word: 'Added: ' },
  removed: { className: 'bg-bad-fill text-bad', sign: '−', word: 'Removed: ' },
}

function Line({ line }: { line: DiffLine }) {
  if (line.kind === 'skipped') {
    return (
      <p className="bg-sunken px-2 py-0.5 text-faint">
        {line.count} unchanged {line.count === 1 ? 'line' : 'lines'}
      </p>
    )
  }
  const { className, sign, word } = looks[line.kind]
  return (
    <p className={`flex px-2 py-px ${className}`}>
      <span aria-hidden className="w-4 shrink-0 select-none">
        {sign}
      </span>
      {word ? <span className="sr-only">{word}</span> : null}
      <bdi className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">{line.text || ' '}</bdi>
    </p>
  )
}
