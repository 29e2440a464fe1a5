import type { KeyRing } from '@notify/privacy'
import { sealOf } from '../idempotency/response-seal.ts'
import type { Queries } from '../open.ts'
import { type Erasure, erasedText } from './person.ts'
import { walkErasure } from './walk-erasure.ts'

/** Rows read at a time. */
const pageSize = 500

interface StoredResponse {
  scope: string
  key: string
  response: string
}

/** The recipient in the responses to requests with an Idempotency-Key; a repetition still finds its response. */
export function storedResponses(keyRing: KeyRing | undefined): Erasure {
  return walkErasure('responses', async (db, { recipient }, erase) => {
    // As a JSON string: a short user id inside another text is not touched.
    const [quoted, blank] = [recipient, erasedText].map((text) => JSON.stringify(text)) as [string, string]
    let found = 0
    for await (const stored of responsesOf(db)) {
      const { seal, open } = sealFor(stored, keyRing)
      const text = open(stored.response)
      if (!text?.includes(quoted)) continue
      found++
      if (erase) await replaceResponse(db, stored, seal(text.replaceAll(quoted, blank)))
    }
    return { found, left: 0 }
  })
}

/** A response is JSON, or the envelope of a confidential one. */
function sealFor({ scope, key, response }: StoredResponse, keyRing: KeyRing | undefined) {
  if (!keyRing || /^$|^[{["]/.test(response))
    return { seal: (text: string) => text, open: (text: string): string | undefined => text }
  const { seal, open } = sealOf(keyRing, scope, key)
  return { seal, open: (sealed: string) => orNothing(() => open(sealed)) }
}

/** What cannot be opened expires within a day. */
function orNothing(open: () => string): string | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}

async function* responsesOf(db: Queries): AsyncGenerator<StoredResponse> {
  const [has] = await db.run<{ keys: boolean }>(`select to_regclass('idempotency_keys') is not null as keys`)
  for (let [scope, key] = ['', '']; has!.keys; ) {
    const rows = await db.runLong<StoredResponse>(
      `select scope, key, response from idempotency_keys where (scope, key) > ($1, $2) order by scope, key limit ${pageSize}`,
      [scope, key],
    )
    if (rows.length === 0) return
    yield* rows
    ;({ scope, key } = rows.at(-1)!)
  }
}

async function replaceResponse(db: Queries, { scope, key, response }: StoredResponse, text: string): Promise<void> {
  await db.runLong('update idempotency_keys set response = $4 where scope = $1 and key = $2 and response = $3', [
    scope,
    key,
    response,
    text,
  ])
}
