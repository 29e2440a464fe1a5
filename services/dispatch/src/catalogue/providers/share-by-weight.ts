/** What decides the order in which providers are tried. */
export interface Weighted {
  /** The lowest is tried first. */
  priority: number
  /** The share of messages among providers of equal priority, 0 to 100. */
  weight: number
}

/** The fractional part of the golden ratio: its multiples are spread evenly, so shares hold over few messages too. */
const step = (Math.sqrt(5) - 1) / 2

/** Positions from 0 to 1. Keep it longer than cached providers: starting again at each load starves small weights. */
export function createPositions(): () => number {
  let position = 0
  return () => {
    position = (position + step) % 1
    return position
  }
}

/**
 * Makes a function that returns the providers in the order of their priority. Of those with equal priority, each call puts
 * one first, in proportion to the weights; a weight of 0 is used only when no other of the priority can be.
 * @param next the next position; see {@link createPositions}
 */
export function shareByWeight<P extends Weighted>(providers: readonly P[], next: () => number): () => P[] {
  const groups = [...Map.groupBy(providers, ({ priority }) => priority)]
    .toSorted(([a], [b]) => a - b)
    .map(([, group]) => group.toSorted((a, b) => b.weight - a.weight))
  if (groups.every(({ length }) => length === 1)) {
    const all = groups.flat()
    return () => all
  }
  return () => {
    const position = next()
    return groups.flatMap((group) => startingWith(group, position))
  }
}

/** @param position from 0 to 1, on a line that the weights divide */
function startingWith<P extends Weighted>(group: readonly P[], position: number): readonly P[] {
  const total = group.reduce((sum, { weight }) => sum + weight, 0)
  let end = 0
  const first = group.find(({ weight }) => {
    end += weight
    return position * total < end
  })
  return first === undefined ? group : [first, ...group.filter((one) => one !== first)]
}
