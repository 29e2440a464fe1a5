/** Noncharacters of Unicode, which no text has: the first two stand around the marker of a block, the last one at its end. */
const [begin, middle, end] = ['\ufdd0', '\ufdd1', '\ufdd2']
const tokens = /\n|\ufdd0([^\ufdd0-\ufdd2]*)\ufdd1|[\ufdd0-\ufdd2]|[^\n\ufdd0-\ufdd2]+/g

export const quoteMarker = '> '
/** Columns before a line at most, however deep it lies in lists and quotes. */
const widest = 20

/** A block of lines with a marker: each line of a quote has it; of others the first, which the next ones are aligned with. */
export const marked = (marker: string, block: string): string => begin + marker + middle + block + end

/**
 * A text with its {@link marked} blocks written. Each line is written once, so that blocks within each other take linear time.
 * @param most characters
 * @returns undefined for a longer text
 */
export function writeMarkers(text: string, most: number): string | undefined {
  if (!text.includes(begin)) return text.length > most ? undefined : text
  const parts: string[] = []
  const margins = ['']
  let [length, isLineStart] = [0, true]
  const write = (part: string) => {
    length += part.length
    parts.push(part)
  }
  for (const [token, marker] of text.matchAll(tokens)) {
    const margin = margins.at(-1)!
    if (token === end) {
      if (margins.length > 1) margins.pop()
      continue
    }
    if (isLineStart) write(token === '\n' ? margin.trimEnd() : margin)
    isLineStart = token === '\n'
    write(marker ?? token)
    if (marker !== undefined)
      margins.push((margin + (marker === quoteMarker ? marker : ' '.repeat(marker.length))).slice(0, widest))
    if (length > most) return undefined
  }
  return parts.join('')
}
