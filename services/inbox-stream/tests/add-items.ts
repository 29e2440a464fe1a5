import { randomBytes } from 'node:crypto'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { parseKeyRing } from '@notify/privacy'
import type { HandedItem } from '../src/hand-offs/handed-item.ts'
import { insertItems } from '../src/hand-offs/insert-items.ts'
import { lockInboxes } from '../src/hand-offs/lock-inboxes.ts'
import { sealContent } from '../src/inbox/item-content.ts'
import { readHeads } from '../src/streams/event-store.ts'
import { resumeFrom } from '../src/streams/resume-from.ts'

/** Seals the contents. */
export const keyRing = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`)
export const tenantId = newId('ten')
const applicationId = newId('app')

/** A notification of an inbox, as dispatch hands it over. */
export function handedItem(inbox_key: string, after: HandedItem['after'] = null): HandedItem {
  const id = newId('inapp')
  return {
    ...{ id, notification_id: newId('notif'), after, tenant_id: tenantId, application_id: applicationId, inbox_key },
    ...{ category_index: null, topic: null, retry_count: 0, traceparent: null },
    content: sealContent(keyRing, tenantId, id, { title: 'Hi', body: 'Hello', data: {} }),
  }
}

/** Stores notifications as hand-offs do. */
export async function addItems(db: Queries, inboxKey: string, count: number): Promise<void> {
  const items = Array.from({ length: count }, () => handedItem(inboxKey))
  await db.transaction(async (run) => {
    await lockInboxes(run, items)
    await insertItems(run, items)
  })
}

/** What a client learns that has the events of an inbox up to a sequence. */
export async function resumeIn(db: Queries, inboxKey: string, lastEventId: number) {
  const [head] = await readHeads(db, [inboxKey])
  return resumeFrom(String(lastEventId), head!)
}
