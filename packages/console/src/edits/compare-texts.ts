import { diffLines } from 'diff'

/** A line of a comparison. `skipped`: the number of unchanged lines that it replaces. */
export type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string } | { kind: 'skipped'; count: number }

/** A text that differs. */
export interface Difference {
  label: string
  lines: DiffLine[]
}

/** The name of a text, and the text. */
export type Named = [label: string, text: string]

/** The texts that differ, in the order of `after`, then the removed ones. */
export function compareTexts(before: readonly Named[], after: readonly Named[]): Difference[] {
  const [old, now] = [new Map(before), new Map(after)]
  const labels = [...new Set([...now.keys(), ...old.keys()])]
  return labels
    .filter((label) => old.get(label) !== now.get(label))
    .map((label) => ({ label, lines: linesOf(old.get(label) ?? '', now.get(label) ?? '') }))
}

const context = 3
/** Comparing takes time with the square of the edits, so texts with more edits are shown as replaced. */
const mostEdits = 1000

function linesOf(before: string, after: string): DiffLine[] {
  const [old, now] = [withEnd(before), withEnd(after)]
  const parts = diffLines(old, now, { maxEditLength: mostEdits }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ]
  const lines = parts
    .filter(({ value }) => value !== '')
    .flatMap(({ value, added, removed }): DiffLine[] => {
      const kind = added ? 'added' : removed ? 'removed' : 'same'
      const texts = value.replace(/\n$/, '').split('\n')
      return texts.map((text) => ({ kind, text }))
    })
  return withoutFar(lines)
}

/** Adds the missing newline at the end: without it, the last line never equals the same line elsewhere. */
const withEnd = (text: string) => (text === '' ? '' : `${text.replaceAll('\r\n', '\n')}\n`)

/** Omits unchanged lines that are far from a change. */
function withoutFar(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ kind }) => kind !== 'same'),
  )
  const kept: DiffLine[] = []
  lines.forEach((line, at) => {
    const last = kept.at(-1)
    if (isNear[at]) kept.push(line)
    else if (last?.kind === 'skipped') last.count++
    else kept.push({ kind: 'skipped', count: 1 })
  })
  return kept
}
