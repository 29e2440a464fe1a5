import {
  EventKey,
  type getEvent as getContract,
  type getEventVersion as getVersionContract,
  type listEvents as listContract,
  type listEventVersions as listVersionsContract,
  versionOf,
} from '@notify/contracts'
import { type ListOrder, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import {
  describeEvent,
  describeVersion,
  eventIdOf,
  eventMissing,
  summarizeEvent,
  summarizeVersion,
  versionMissing,
} from './describe-event.ts'
import { type EventSummaryRow, findEvent, listEventRows } from './event-store.ts'
import { findVersion, listVersionRows, type VersionSummaryRow } from './version-store.ts'

const byKey: ListOrder<EventSummaryRow, string> = { position: EventKey, of: ({ event_key }) => event_key }
const byVersion: ListOrder<VersionSummaryRow, number> = { position: z.int32(), of: ({ version }) => version }

/** The events of an application, without templates. */
export const listEvents: Handler<Context, typeof listContract> = async ({ db }, request) => {
  const { params, principal, query } = request
  const of = { tenantId: principal.tenant_id, applicationId: params.application_id }
  const { items, next_cursor } = await page(request, byKey, (after, limit) =>
    listEventRows(db.run, of, { status: query.status, after, limit }),
  )
  return { items: items.map(summarizeEvent), next_cursor }
}

export const getEvent: Handler<Context, typeof getContract> = async ({ db }, request) => {
  const row = await findEvent(db.run, eventIdOf(request))
  if (!row) throw eventMissing()
  return describeEvent(row)
}

/** The published versions of an event, without templates. */
export const listEventVersions: Handler<Context, typeof listVersionsContract> = async ({ db }, request) => {
  const id = eventIdOf(request)
  const event = await findEvent(db.run, id)
  if (!event) throw eventMissing()
  const { items, next_cursor } = await page(request, byVersion, (after, limit) =>
    listVersionRows(db.run, id, { after, limit }),
  )
  return { items: items.map((row) => summarizeVersion(row, event.version)), next_cursor }
}

export const getEventVersion: Handler<Context, typeof getVersionContract> = async ({ db }, request) => {
  const id = eventIdOf(request)
  const event = await findEvent(db.run, id)
  if (!event) throw eventMissing()
  const wanted = versionOf(request.params.version)
  const row = wanted === undefined ? undefined : await findVersion(db.run, id, wanted)
  if (!row) throw versionMissing()
  return describeVersion(row, event.version)
}
