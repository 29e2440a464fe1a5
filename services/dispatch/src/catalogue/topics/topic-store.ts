import type { Channel, Id, TopicContent } from '@notify/contracts'
import { cast, column, nextUpdatedAt, type Run, requireRoom } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'
import { differs } from '../initial-row.ts'

export type TopicRow = Selectable<Tables['topics']>

/** The application that topics belong to. The gateway has checked that it is the tenant's. */
export interface TopicOwner {
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
}

export interface TopicId extends TopicOwner {
  topicKey: string
}

const ownerOf = ({ tenantId, applicationId }: TopicOwner) => ({ tenant_id: tenantId, application_id: applicationId })
const keysOf = (id: TopicId) => ({ ...ownerOf(id), topic_key: id.topicKey })

const one = (id: TopicId) =>
  build
    .selectFrom('topics')
    .selectAll()
    .where((where) => where.and(keysOf(id)))

export async function findTopic(run: Run, id: TopicId): Promise<TopicRow | undefined> {
  return (await run(one(id)))[0]
}

/** Locks a topic for the rest of the transaction. */
export async function lockTopic(run: Run, id: TopicId): Promise<TopicRow | undefined> {
  return (await run(one(id).forUpdate()))[0]
}

/** Keeps a topic from being changed or deleted until the transaction ends. */
export async function holdTopic(run: Run, id: TopicId): Promise<TopicRow | undefined> {
  return (await run(one(id).forKeyShare()))[0]
}

/** @throws Problem `topic_limit_reached` */
export function requireRoomForTopic(run: Run, owner: TopicOwner, most: number): Promise<void> {
  const rows = build
    .selectFrom('topics')
    .select('topic_key')
    .where((where) => where.and(ownerOf(owner)))
  const [code, what] = ['topic_limit_reached', 'topics of an application'] as const
  return requireRoom(run, { code, what, rows, owner: Object.values(ownerOf(owner)), most })
}

/** The columns of what operators edit. */
const valuesOf = ({ translations, ...content }: TopicContent) => ({
  ...content,
  translations: JSON.stringify(translations),
})

/** @returns undefined when the application has a topic with this key */
export async function insertTopic(
  run: Run,
  id: TopicId,
  content: TopicContent,
  updatedBy: string,
): Promise<TopicRow | undefined> {
  const [row] = await run(
    build
      .insertInto('topics')
      .values({ ...keysOf(id), ...valuesOf(content), updated_by: updatedBy })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll(),
  )
  return row
}

/**
 * Upserts a topic of the bootstrap document, unless an operator has changed it.
 * @returns undefined when it stays as it was
 */
export async function saveInitialTopic(run: Run, id: TopicId, content: TopicContent): Promise<TopicRow | undefined> {
  const values = valuesOf(content)
  const [row] = await run(
    build
      .insertInto('topics')
      .values({ ...keysOf(id), ...values, updated_by: null })
      .onConflict((conflict) =>
        conflict
          .columns(['application_id', 'topic_key'])
          .doUpdateSet({
            ...values,
            tenant_id: id.tenantId,
            updated_at: sql.raw<Date>(nextUpdatedAt('topics.updated_at')),
          })
          .where('topics.updated_by', 'is', null)
          .where(differs('topics', Object.keys(values))),
      )
      .returningAll(),
  )
  return row
}

/** Writes a locked topic. */
export async function updateTopic(run: Run, id: TopicId, content: TopicContent, updatedBy: string): Promise<TopicRow> {
  const [row] = await run(
    build
      .updateTable('topics')
      .set({ ...valuesOf(content), updated_by: updatedBy, updated_at: sql.raw<Date>(nextUpdatedAt()) })
      .where((where) => where.and(keysOf(id)))
      .returningAll(),
  )
  return row!
}

/** Removes a locked topic. */
export async function removeTopic(run: Run, id: TopicId): Promise<void> {
  await run(build.deleteFrom('topics').where((where) => where.and(keysOf(id))))
}

/** Events that name a topic in their current version or their draft, by key. */
export async function eventsOfTopic(run: Run, id: TopicId, most: number): Promise<string[]> {
  const named = build
    .selectFrom('events')
    .select('event_key')
    .where((where) => where.and(ownerOf(id)))
    .where((where) => where.or([where('topic', '=', id.topicKey), where(sql`draft->>'topic'`, '=', id.topicKey)]))
  return (await run(named.orderBy('event_key').limit(most))).map(({ event_key }) => event_key)
}

/** Published events that send a topic by one of these channels, by key. */
export async function eventsSentBy(
  run: Run,
  id: TopicId,
  channels: readonly Channel[],
  { most, except = [] }: { most: number; except?: readonly string[] | undefined },
): Promise<string[]> {
  const sent = build
    .selectFrom('events')
    .select('event_key')
    .where((where) => where.and({ ...ownerOf(id), topic: id.topicKey, status: 'published' }))
    .where('allowed_channels', '&&', sql.val<Channel[]>([...channels]))
    .$if(except.length > 0, (query) => query.where('event_key', 'not in', [...except]))
  return (await run(sent.orderBy('event_key').limit(most))).map(({ event_key }) => event_key)
}

/** The categories of the carrier's templates with which published events send a topic by a channel; null without one. */
export async function categoriesSent(run: Run, id: TopicId, channel: Channel): Promise<(string | null)[]> {
  const category = cast(column.text().nullable(), sql`templates->${channel}::text->>'category'`).as('category')
  const sent = build
    .selectFrom('events')
    .select(category)
    .distinct()
    .where((where) => where.and({ ...ownerOf(id), topic: id.topicKey, status: 'published' }))
    .where('allowed_channels', '&&', sql.val<Channel[]>([channel]))
  return (await run(sent)).map((row) => row.category)
}

/** The topics of an application by key. @param after key of the last one of the previous page */
export function listTopicRows(
  run: Run,
  owner: TopicOwner,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<TopicRow[]> {
  const topics = build
    .selectFrom('topics')
    .selectAll()
    .where((where) => where.and(ownerOf(owner)))
    .$if(after !== undefined, (query) => query.where('topic_key', '>', after!))
  return run(topics.orderBy('topic_key').limit(limit))
}
