import type { DomNode, FormatCallback } from 'html-to-text'
import { marked, quoteMarker } from './line-markers.ts'
import { numeralOf, startOf } from './list-markers.ts'

type MarkerOf = (list: DomNode) => (at: number) => string

const isShown = ({ type, data = '' }: DomNode) => type === 'tag' || (type === 'text' && /\S/.test(data))

/** The formatters of the library rewrite all lines of an item for each list that it is in. */
const list =
  (markerOf: MarkerOf): FormatCallback =>
  (elem, walk, builder) => {
    const isNested = elem.parent?.name === 'li'
    const breaks = isNested ? 1 : 2
    const nodes = elem.children.filter(isShown)
    if (nodes.length === 0) return
    const markerAt = markerOf(elem)
    let at = 0
    const markers = nodes.map(({ name }) => (name === 'li' ? markerAt(at++) : ''))
    const width = Math.max(0, ...markers.map(({ length }) => length))
    const margin = isNested ? '' : ' '
    builder.openBlock({ leadingLineBreaks: breaks })
    for (const [index, node] of nodes.entries()) {
      builder.openBlock({ leadingLineBreaks: 1 })
      walk([node], builder)
      const marker = `${margin}${markers[index]!.padEnd(width)} `
      builder.closeBlock({ trailingLineBreaks: 1, blockTransform: (block) => marked(marker, block) })
    }
    builder.closeBlock({ trailingLineBreaks: breaks })
  }

export const unorderedList = list(() => () => '*')

export const orderedList = list(({ attribs }) => {
  const first = startOf(attribs.start)
  return (at) => `${numeralOf(attribs.type, first + at)}.`
})

export const blockquote: FormatCallback = ({ children }, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 })
  walk(children, builder)
  builder.closeBlock({ trailingLineBreaks: 2, blockTransform: (block) => marked(quoteMarker, block) })
}
