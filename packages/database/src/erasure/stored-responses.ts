import { isSameRecipient, type KeyRing } from '@notify/privacy'
import { column } from '../columns.ts'
import { scopesOf } from '../idempotency/idempotency-scope.ts'
import { sealOf } from '../idempotency/response-seal.ts'
import type { Queries } from '../open.ts'
import { build } from '../shared-tables.ts'
import { defineStatement } from '../statement.ts'
import { type Erasure, erasedText, type Person } from './person.ts'
import { tryOpen, walkErasure } from './walk-erasure.ts'

/** Rows read at a time. */
const pageSize = 500

interface StoredResponse {
  scope: string
  key: string
  response: string
}

/** Erases the recipient in stored responses of the tenant. A repetition still returns a response, and has no effect. */
export function storedResponses(keyRing: KeyRing | undefined): Erasure {
  return walkErasure('responses', async (db, { tenantId, recipient }, erase) => {
    let found = 0
    for await (const stored of responsesOf(db, tenantId)) {
      const { seal, open } = sealFor(stored, keyRing)
      const text = open(stored.response)
      const rest = text && responseWithout(text, recipient)
      if (!rest) continue
      found++
      if (erase) await replaceResponse(db, stored, seal(rest))
    }
    return { found, left: 0 }
  })
}

/** Fields whose texts say nothing about a person. */
const isKept = (name: string) => /(^|_)(id|at)$/.test(name) || ['status', 'source', 'channel', 'mode'].includes(name)

/**
 * Compares whole JSON strings, so that a short user id within another text is not found. An object that names the recipient loses its
 * other texts as well: a reference, or a token for the user.
 * @returns undefined when the response does not name the recipient
 */
export function responseWithout(text: string, recipient: string): string | undefined {
  let found = false
  const names = (value: unknown): boolean =>
    typeof value === 'string' ? isSameRecipient(value, recipient) : Array.isArray(value) && value.some(names)
  const rest = without(
    tryOpen(() => JSON.parse(text)),
    false,
  )
  return found ? JSON.stringify(rest) : undefined

  function without(value: unknown, isTheirs: boolean): unknown {
    if (typeof value === 'string') return isTheirs ? erasedText : value
    if (Array.isArray(value)) return value.map((one) => without(one, isTheirs || names(one)))
    if (typeof value !== 'object' || value === null) return value
    const isOfThem = isTheirs || Object.values(value).some(names)
    if (isOfThem) found = true
    const keeps = (name: string, one: unknown) => typeof one === 'string' && isKept(name) && !names(one)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, keeps(name, one) ? one : without(one, isOfThem)]),
    )
  }
}

/** A response is JSON, or the envelope of a confidential one; one that cannot be decrypted expires within a day. */
function sealFor({ scope, key, response }: StoredResponse, keyRing: KeyRing | undefined) {
  if (!keyRing || /^$|^[{["]/.test(response))
    return { seal: (text: string) => text, open: (text: string): string | undefined => text }
  const { seal, open } = sealOf(keyRing, scope, key)
  return { seal, open: (sealed: string) => tryOpen(() => open(sealed)) }
}

const findTable = defineStatement({
  name: 'find-idempotency-table',
  isPrepared: false,
  text: `select to_regclass('idempotency_keys') is not null as exists`,
  columns: { exists: column.boolean() },
})

async function* responsesOf(db: Queries, tenantId: Person['tenantId']): AsyncGenerator<StoredResponse> {
  const [table] = await db.run(findTable)
  const prefix = scopesOf(tenantId)
  for (let [scope, key] = [prefix, '']; table!.exists; ) {
    const rows = await db.runLong(
      build
        .selectFrom('idempotency_keys')
        .select(['scope', 'key', 'response'])
        .where(({ eb, refTuple, tuple }) => eb(refTuple('scope', 'key'), '>', tuple(scope, key)))
        .orderBy('scope')
        .orderBy('key')
        .limit(pageSize),
    )
    // Other tenants, whose keys precede and follow these, may use the same user id.
    const theirs = rows.filter((row) => row.scope.startsWith(prefix))
    yield* theirs
    if (theirs.length < pageSize) return
    ;({ scope, key } = theirs.at(-1)!)
  }
}

async function replaceResponse(db: Queries, { scope, key, response }: StoredResponse, text: string): Promise<void> {
  await db.runLong(
    build
      .updateTable('idempotency_keys')
      .set({ response: text })
      .where('scope', '=', scope)
      .where('key', '=', key)
      .where('response', '=', response),
  )
}
