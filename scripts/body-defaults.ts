import { publicRoutes } from '@notify/contracts/catalogue'
import { z } from 'zod'

/** Values by the paths of their fields, for example `requests[].priority`. */
export type Defaults = Record<string, unknown>

/**
 * The defaults in the body of each POST, by the route's name. They are part of the fingerprint by which a repetition under an
 * Idempotency-Key is recognised.
 */
export function bodyDefaults(): Record<string, Defaults> {
  const posts = publicRoutes().flatMap(({ name, method, body, bodyType }) =>
    method === 'POST' && body && bodyType !== 'raw' ? [[name, defaultsOf(body)] as const] : [],
  )
  return Object.fromEntries(posts.sort(([a], [b]) => (a < b ? -1 : 1)))
}

type Node = Record<string, unknown>

/** Zod writes a default of a field that it transforms for the output only, and one within such a field for the input only. */
const defaultsOf = (body: z.ZodType): Defaults => ({ ...defaultsIn(body, 'input'), ...defaultsIn(body, 'output') })

function defaultsIn(body: z.ZodType, io: 'input' | 'output'): Defaults {
  const { $defs = {}, ...root } = z.toJSONSchema(body, { io, unrepresentable: 'any' }) as {
    $defs?: Record<string, Node>
  }
  const found: Defaults = {}
  collect('', root, [])
  return found

  function collect(path: string, node: Node, within: readonly string[]): void {
    const { $ref, properties = {}, items, additionalProperties: values } = node
    if ('default' in node) found[path] = node.default
    const part = typeof $ref === 'string' && !within.includes($ref) && $defs[$ref.slice('#/$defs/'.length)]
    if (part) collect(path, part, [...within, $ref as string])
    for (const [name, field] of Object.entries(properties as Node))
      collect(path === '' ? name : `${path}.${name}`, field as Node, within)
    if (isNode(items)) collect(`${path}[]`, items, within)
    if (isNode(values)) collect(`${path}.*`, values, within)
    const alternatives = [node.anyOf, node.oneOf, node.allOf].flatMap((list) => (list ?? []) as Node[])
    for (const one of alternatives) collect(path, one, within)
  }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
