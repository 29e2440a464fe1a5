import type { Attributes } from '@opentelemetry/api'

/** A value of one series. */
export interface Reading {
  value: number
  attributes: Attributes
}

/** The values that each label may take. */
export type KnownLabels = Readonly<Record<string, readonly string[]>>

/** Every combination of the labels' values; one series without labels. */
export function seriesOf(known: KnownLabels): Attributes[] {
  return Object.entries(known).reduce<Attributes[]>(
    (series, [label, values]) => series.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  )
}

/** Sums of a counter by attributes. The SDK's own sort and hash the attributes at every call, a dozen times per message. */
export class Sums {
  readonly #series = new Map<string, Reading>()
  /** By the attributes in the order in which callers write them. */
  readonly #found = new Map<string, Reading>()

  constructor(known: readonly Attributes[]) {
    for (const attributes of known) this.#find(attributes)
  }

  add(attributes: Attributes, value: number): void {
    const key = JSON.stringify(attributes)
    const sum = this.#found.get(key) ?? this.#find(attributes)
    if (sum.value === 0) this.#found.set(key, sum)
    sum.value += value
  }

  all(): Iterable<Reading> {
    return this.#series.values()
  }

  #find(attributes: Attributes): Reading {
    const key = JSON.stringify(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)))
    const known = this.#series.get(key)
    if (known) return known
    const sum = { value: 0, attributes }
    this.#series.set(key, sum)
    return sum
  }
}
