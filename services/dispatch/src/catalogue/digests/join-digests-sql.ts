import { type Id, newId } from '@notify/contracts'
import { lockedSql } from '../../db/locked-sql.ts'
import type { Joined } from './digest-item.ts'

/** The ids of a digest that an item may begin. */
interface NewIds {
  new_digest_id: Id<'dig'>
  first_digest_id: Id<'dig'> | undefined
}

/** Makes the columns of an item. */
export type DigestOf = (joined: Joined) => object

/** @returns it for the items of one statement: those with the same key name the same new ids */
export function itemColumnsOf(): DigestOf {
  const made = new Map<string, NewIds>()
  return ({ key, closesAt, latestAt, show, isFirstNow }) => {
    const ids = made.get(key) ?? { new_digest_id: newId('dig'), first_digest_id: isFirstNow ? newId('dig') : undefined }
    made.set(key, ids)
    return { ...ids, digest_key: key, closes_at: closesAt, latest_at: latestAt, show }
  }
}

/** With so many items a digest is due at once and takes no others: one transaction must be able to end them. */
const mostItems = 10_000

/** Columns of an item, after those of every notification. */
export const itemColumns = `waits boolean, digest_key text, new_digest_id text, first_digest_id text, closes_at timestamptz,
        latest_at timestamptz, show smallint`

// The lock of the row orders an item and the close: after it, the item begins the next digest.
const columns = `id, tenant_id, application_id, mode, channel, lane, event_key, key, opened_at, latest_at, show, joined, closes_at,
        due_at`

/** SQL: `locked` when another transaction holds the digest of an item, unless the item `waits`; see {@link lockedSql}. */
export const lockedDigestSql = (item: string): string =>
  lockedSql({
    found: `select true from digests d where d.key = ${item}.digest_key and d.is_open`,
    name: `'digest ' || ${item}.digest_key`,
    waits: `${item}.waits`,
  })

/** In the order of their keys, so that statements that join the same digests wait for each other in turn. */
const perDigest = (id: string, closesAt: string) =>
  `select distinct on (digest_key) ${id}, tenant_id, application_id, mode, channel, lane, event_key, digest_key, created_at,
        latest_at, show, count(*) over (partition by digest_key), ${closesAt}, ${closesAt}`

/** Only an item that slides itself moves the end: one whose recipient meanwhile chose a frequency does not. */
const next = `case when d.joined + excluded.joined >= ${mostItems} then least(d.closes_at, now())
          when excluded.latest_at > excluded.closes_at then greatest(d.closes_at, least(excluded.closes_at, d.latest_at))
          else d.closes_at end`

/**
 * SQL of `with` queries by which the items of `fresh` join the open digests of their keys. Where none is open and the first item is
 * sent at once, those of this statement are a second digest, which is due and takes no others; the open one waits for what follows.
 */
export const joinDigests = `opened as (
      insert into digests as d (${columns})
      ${perDigest('new_digest_id', 'closes_at')} from fresh order by digest_key, id desc
      on conflict (key) where is_open do update set joined = d.joined + excluded.joined, show = excluded.show,
        is_open = d.joined + excluded.joined < ${mostItems}, closes_at = ${next}, due_at = ${next}
      returning d.id as opened_id, d.key as opened_key
    ), firsts as (
      insert into digests (${columns}, is_open)
      ${perDigest('first_digest_id', 'now()')}, false
      from fresh join opened on opened_id = new_digest_id where first_digest_id is not null order by digest_key
    ),`

/** SQL: an item's digest, of a row of {@link itemsWithDigests}. */
export const joinedDigest =
  'case when opened_id = new_digest_id then coalesce(first_digest_id, opened_id) else opened_id end'

export const itemsWithDigests = 'fresh join opened on opened_key = digest_key'
