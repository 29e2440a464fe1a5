import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'

interface SourceMap {
  version: number
  sources: string[]
  names: string[]
  mappings: string
}

/**
 * Keeps the part of a source map that leads to our own sources. Node reads the whole map at start, and that of all packages costs
 * 30 MB. Frames in packages keep their place in the bundle.
 */
export function ownMappings(text: string): string {
  const map = JSON.parse(text) as SourceMap
  const places = new Map<number, number>()
  const isOwn = map.sources.map((source) => !source.includes('node_modules/'))
  for (const [index, own] of isOwn.entries()) if (own) places.set(index, places.size)
  let inOwn = false
  const lines = decode(map.mappings).map((line) =>
    line.flatMap((segment): SourceMapSegment[] => {
      const place = segment.length === 1 ? undefined : places.get(segment[1])
      const ended = inOwn && place === undefined
      inOwn = place !== undefined
      if (segment.length !== 1 && place !== undefined) return [[segment[0], place, segment[2], segment[3]]]
      // Otherwise what follows would count as part of the last own line.
      return ended ? [[segment[0]]] : []
    }),
  )
  return JSON.stringify({
    version: map.version,
    sources: map.sources.filter((_, index) => isOwn[index]),
    names: [],
    mappings: encode(lines),
  })
}
