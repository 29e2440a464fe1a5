import { type SealedEventContract, schemaOf, subjectFilter } from '@notify/contracts'
import { allEvents } from '@notify/contracts/catalogue'
import type { EncryptedColumn } from '@notify/database'
import type { TestEnv } from '@notify/dev-env'
import { matchesFilter, openEvent } from '@notify/messaging'
import { createBlindIndex, type KeyRing, parseKey, parseKeyRing } from '@notify/privacy'
import { openBus, storedMessages } from '@notify/test-kit/bus'
import { encryptedColumns as callbacks } from '../../services/callbacks/src/db/encrypted-columns.ts'
import { encryptedColumns as consent } from '../../services/consent/src/db/encrypted-columns.ts'
import { encryptedColumns as dispatch } from '../../services/dispatch/src/upkeep/encrypted-columns.ts'
import { encryptedColumns as inboxStream } from '../../services/inbox-stream/src/db/encrypted-columns.ts'
import { encryptedColumns as otp } from '../../services/otp/src/db/encrypted-columns.ts'
import { encryptedColumns as webhookDelivery } from '../../services/webhook-delivery/src/db/encrypted-columns.ts'

const encrypted = {
  callbacks,
  consent,
  dispatch,
  'inbox-stream': inboxStream,
  otp,
  'webhook-delivery': webhookDelivery,
}

export const keyRingOf = ({ stack }: TestEnv): KeyRing => parseKeyRing(stack.state.encryption_keys)

export const indexOf = ({ stack, tenantId }: TestEnv, recipient: string): string =>
  createBlindIndex(parseKey(stack.state.blind_index_key))(tenantId, recipient)

/** Everything that contains the person: in plain text, by blind index, encrypted, or in a sealed event. */
export async function findPerson(env: TestEnv, recipient: string): Promise<string[]> {
  const digits = recipient.replace(/^\+/, '')
  const texts = [digits, indexOf(env, recipient)]
  return [
    ...(await tablesWith(env, ...texts)),
    ...(await columnsWith(env, digits)),
    ...(await eventsWith(env, digits)),
    ...(await responsesWith(env, digits)),
    ...(await messagesWith(env, texts)),
  ].toSorted()
}

/** The tables of all schemas that contain a text. */
export async function tablesWith({ admin }: TestEnv, ...texts: string[]): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  )
  const found = []
  for (const { name } of rows) {
    const { rowCount } = await admin.query(
      `select 1 from ${name} as one where exists (select from unnest($1::text[]) as word where strpos(one::text, word) > 0)`,
      [texts],
    )
    if (rowCount) found.push(name)
  }
  return found
}

/** The encrypted columns whose values contain a text. */
async function columnsWith(env: TestEnv, text: string): Promise<string[]> {
  const found = new Set<string>()
  for (const [service, columns] of Object.entries(encrypted)) {
    for (const { table, column, aadFrom, aad } of columns as readonly EncryptedColumn[]) {
      const name = `${schemaOf(service as keyof typeof encrypted)}.${table}`
      const { rows } = await env.admin.query(
        `select ${column} as sealed, ${aadFrom.join(', ')} from ${name} where ${column} is not null`,
      )
      const holds = rows.some((row) =>
        keyRingOf(env)
          .decrypt(row.sealed, aad(...aadFrom.map((one) => row[one])))
          .includes(text),
      )
      if (holds) found.add(`${name}.${column}, encrypted`)
    }
  }
  return [...found]
}

const sealedEvents = [...allEvents().values()].filter((one): one is SealedEventContract => one.sealed !== undefined)

function sealedTextOf(env: TestEnv, subject: string, payload: object | null): string {
  const contract = sealedEvents.find((one) => matchesFilter(subjectFilter(one), subject))
  return contract && payload ? JSON.stringify(openEvent(keyRingOf(env), contract, payload as never)) : ''
}

/** The outboxes and dead letters with a sealed event that contains a text. */
async function eventsWith(env: TestEnv, text: string): Promise<string[]> {
  const found = new Set<string>()
  for (const service of [...Object.keys(encrypted), 'gateway'] as (keyof typeof encrypted)[]) {
    const schema = schemaOf(service)
    const { rows } = await env.admin.query(
      `select 'outbox' as name, subject, events as text from ${schema}.outbox
       union all select 'dead_letters', subject, '[{"event":' || event || '}]' from ${schema}.dead_letters where not whole_message`,
    )
    for (const { name, subject, text: events } of rows) {
      for (const { event } of JSON.parse(events))
        if (sealedTextOf(env, subject, event).includes(text)) found.add(`${schema}.${name}, sealed`)
    }
  }
  return [...found]
}

/** The schemas whose encrypted stored responses contain a text. */
async function responsesWith(env: TestEnv, text: string): Promise<string[]> {
  const found = new Set<string>()
  for (const schema of ['gateway', 'dispatch', 'otp', 'consent', 'inbox_stream', 'webhook_delivery']) {
    const { rows } = await env.admin.query(
      `select scope, key, response from ${schema}.idempotency_keys where response !~ '^($|[\\{\\["])'`,
    )
    for (const { scope, key, response } of rows) {
      const aad = `idempotency_keys|${scope}|${key}`
      if (keyRingOf(env).decrypt(Buffer.from(response, 'base64'), aad).includes(text))
        found.add(`${schema}.idempotency_keys, encrypted`)
    }
  }
  return [...found]
}

/** The subjects of retained messages that contain a text, plain or sealed. */
async function messagesWith(env: TestEnv, [digits, index]: readonly string[]): Promise<string[]> {
  await using bus = await openBus(env)
  const found = new Set<string>()
  for (const { subject, text } of await storedMessages(bus)) {
    const sealed = JSON.parse(text).map(({ event }: { event: object | null }) => sealedTextOf(env, subject, event))
    if ([text, ...sealed].some((one) => one.includes(digits!) || one.includes(index!))) found.add(`stream ${subject}`)
  }
  return [...found]
}
