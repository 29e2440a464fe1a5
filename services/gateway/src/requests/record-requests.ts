import type { IncomingMessage } from 'node:http'
import { getMe, newId, type Principal, type Route } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { createDelayedWrite, type Door, type Kit, type Outcome, startPeriodic } from '@notify/service-kit'
import type { Callers } from '../callers/authenticate.ts'
import type { Config } from '../config.ts'
import { createRequestAllowance } from './request-allowance.ts'
import {
  type CountedRequests,
  createRequestCountDeletion,
  createRequestDeletion,
  type NewRequest,
  saveRequests,
} from './request-store.ts'
import { shownPath } from './shown-path.ts'

const collectMs = 1000
/** Of all tenants, until the next write; further ones are counted. */
const mostWaiting = 5000
const upkeepMs = 60_000

/** Whose request it is, once that is known. */
const caller = Symbol('caller')
type Known = IncomingMessage & { [caller]?: Principal }

/**
 * The log of requests with API keys. No request waits for it: what comes within a second is written in one statement, and nothing
 * is written while nothing comes. A process that dies loses its last second.
 */
export function recordRequests(
  kit: Kit,
  { db, config, callers }: { db: Queries; config: Config; callers: Pick<Callers, 'authenticate'> },
): Pick<Door, 'authenticate' | 'handled'> {
  const isStored = createRequestAllowance(config.API_LOG_PER_SECOND)
  const waiting = collect(kit, db)
  const record = (request: IncomingMessage, principal: Principal, outcome: Outcome) => {
    if (principal.kind !== 'key') return
    const { tenant_id, application_id, key_id, mode } = principal
    const { status, code, requestId } = outcome
    if (waiting.hasRoom() && isStored(tenant_id, status >= 400)) {
      waiting.add({
        ...{ id: newId('req'), tenant_id, application_id, mode, key_id, request_id: requestId },
        requested_at: new Date(Date.now() - outcome.ms).toISOString(),
        method: knownMethod(request.method),
        path: shownPath(outcome.contract, request.url ?? ''),
        ...{ status, code: code ?? null, duration_ms: Math.round(outcome.ms) },
      })
    } else waiting.count({ tenant_id, application_id, mode, status, code: code ?? '' })
  }
  startUpkeep(kit, db)
  return {
    authenticate(request: Known, route) {
      const found = callers.authenticate(request, route)
      if (found instanceof Promise)
        found.then((principal) => {
          request[caller] = principal
        }, ignore)
      else request[caller] = found
      return found
    },
    handled(request: Known, outcome) {
      const known = request[caller]
      if (known) return record(request, known, outcome)
      if (outcome.contract || !hasKey(request)) return
      // A path without a route: whose key it is was not asked yet.
      const found = authenticateLater(callers, request)
      found.then((principal) => record(request, principal, outcome), ignore)
    },
  }
}

const ignore = () => {}

/** Counts a failure as every request does. */
const authenticateLater = async (callers: Pick<Callers, 'authenticate'>, request: IncomingMessage) =>
  callers.authenticate(request, getMe as Route)

const hasKey = ({ headers: { authorization = '' } }: IncomingMessage) => /^bearer +sk_/i.test(authorization)

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const knownMethod = (method = '') => (methods.has(method) ? method : 'other')

type Kind = Pick<CountedRequests, 'tenant_id' | 'application_id' | 'mode' | 'status' | 'code'>

/** Collects requests, and writes them at most once a second. */
function collect(kit: Kit, db: Queries) {
  let requests: NewRequest[] = []
  let counts = new Map<string, CountedRequests>()
  const write = async () => {
    const [stored, counted] = [requests, counts]
    requests = []
    counts = new Map()
    if (stored.length + counted.size === 0) return
    // Not repeated: a second log of requests must not grow while Postgres is away.
    await saveRequests(db.run, stored, [...counted.values()]).catch((err) =>
      kit.log.warn({ err, requests: stored.length }, 'requests were not logged'),
    )
  }
  const hourOf = createHourOf()
  const changed = createDelayedWrite(kit, { name: 'log of requests', delayMs: collectMs, write })
  return {
    hasRoom: () => requests.length < mostWaiting,
    add(request: NewRequest) {
      requests.push(request)
      changed()
    },
    count(kind: Kind) {
      const hour = hourOf(Date.now())
      const key = `${kind.application_id} ${kind.mode} ${hour} ${kind.status} ${kind.code}`
      const known = counts.get(key)
      if (known) known.requests++
      else counts.set(key, { ...kind, hour, requests: 1 })
      changed()
    },
  }
}

const hourMs = 3_600_000

/** Writes the hour of a moment; that of the last one is kept, as nearly all requests have the same. */
function createHourOf(): (ms: number) => string {
  let number = Number.NaN
  let text = ''
  return (ms) => {
    const current = Math.floor(ms / hourMs)
    if (current !== number) {
      number = current
      text = new Date(current * hourMs).toISOString()
    }
    return text
  }
}

function startUpkeep(kit: Kit, db: Queries): void {
  const deleteRequests = createRequestDeletion(db)
  const deleteCounts = createRequestCountDeletion(db)
  startPeriodic(kit, { name: 'request log retention', everyMs: upkeepMs, run: deleteRequests })
  startPeriodic(kit, { name: 'request count retention', everyMs: upkeepMs * 10, run: deleteCounts })
}
