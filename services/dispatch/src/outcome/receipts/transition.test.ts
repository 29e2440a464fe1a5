import { expect, test } from '@jest/globals'
import { DeliveryStatus, ReceiptStatus as Reports } from '@notify/contracts'
import fc from 'fast-check'
import { type Current, isObservation, moves, type Report, type ReportStatus, transition } from './transition.ts'

/** The states that a receipt may find. */
const statuses = DeliveryStatus.exclude(['scheduled', 'cancelled']).options
const reports = Reports.options

test.each<[DeliveryStatus, ReportStatus, DeliveryStatus]>([
  ['queued', 'sent', 'sent'],
  ['queued', 'delivered', 'delivered'],
  ['queued', 'undelivered', 'undelivered'],
  ['queued', 'failed', 'failed'],
  ['queued', 'read', 'delivered'],
  ['queued', 'cancelled', 'cancelled'],
  ['sent', 'delivered', 'delivered'],
  ['sent', 'undelivered', 'undelivered'],
  ['sent', 'failed', 'failed'],
  ['sent', 'read', 'delivered'],
  ['sent', 'cancelled', 'cancelled'],
  ['undelivered', 'delivered', 'delivered'],
  ['undelivered', 'read', 'delivered'],
  ['failed', 'delivered', 'delivered'],
  ['failed', 'read', 'delivered'],
])('%s and the report %s of its own attempt make %s', (status, report, expected) => {
  expect(transition({ status, attempt: 3 }, { status: report, attempt: 3 })).toBe(expected)
})

test('those are all: anything else changes nothing', () => {
  const changing = statuses.flatMap((status) =>
    reports.filter((report) => transition({ status, attempt: 1 }, { status: report, attempt: 1 }) !== undefined),
  )
  expect(changing).toHaveLength(13)
})

test('a message that has ended is not cancelled, nor one that goes on by a report of another attempt', () => {
  for (const status of ['delivered', 'failed', 'undelivered', 'cancelled', 'scheduled'] as const)
    expect(transition({ status, attempt: 1 }, { status: 'cancelled', attempt: 1 })).toBeUndefined()
  expect(transition({ status: 'sent', attempt: 2 }, { status: 'cancelled', attempt: 1 })).toBeUndefined()
})

test('a report of another attempt changes nothing, unless the message was delivered after all', () => {
  for (const [attempt, of] of [
    [2, 1],
    [1, 2],
    [undefined, 1],
  ] as const) {
    for (const status of statuses) {
      for (const report of reports) {
        const delivers = (report === 'delivered' || report === 'read') && status !== 'delivered'
        expect(transition({ status, attempt }, { status: report, attempt: of })).toBe(
          delivers ? 'delivered' : undefined,
        )
      }
    }
  }
})

test('the moves that statements are made from are the function, line by line', () => {
  for (const from of statuses) {
    for (const report of reports) {
      for (const own of [true, false]) {
        const listed = moves.find((move) => move.from === from && move.report === report && (own || !move.ownAttempt))
        expect(listed?.to).toBe(transition({ status: from, attempt: own ? 1 : 2 }, { status: report, attempt: 1 }))
      }
    }
  }
})

const rank: Record<string, number> = { queued: 0, sent: 1, undelivered: 2, failed: 2, delivered: 3 }
const anyReport = (attempts: number) =>
  fc.record<Report>({
    status: fc.constantFrom(...reports),
    attempt: fc.integer({ min: 1, max: attempts }),
  })
/** Receipts with repetitions, as they occur. */
const repeated = (attempts: number): fc.Arbitrary<Report[]> =>
  fc
    .array(anyReport(attempts), { minLength: 1, maxLength: 8 })
    .chain((distinct) => fc.array(fc.constantFrom(...distinct), { maxLength: 16 }))
const shuffled = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], { minLength: list.length })

/** The state after a sequence of receipts. */
function after({ status, attempt }: Current, received: readonly Report[]): Current {
  let now = status
  for (const report of received) now = transition({ status: now, attempt }, report) ?? now
  return { status: now, attempt }
}

const current = fc.record<Current>({
  status: fc.constantFrom(...statuses),
  attempt: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
})

test('whatever comes, in whatever order and however often, no state is ever lowered and delivered stays', () => {
  fc.assert(
    fc.property(current, repeated(3), (start, received) => {
      let state = start
      for (const report of received) {
        const next = after(state, [report])
        expect(rank[next.status] ?? 0).toBeGreaterThanOrEqual(rank[state.status] ?? 0)
        if (state.status === 'delivered') expect(next.status).toBe('delivered')
        // Of two final states with the same rank the first stays.
        if (rank[next.status] === rank[state.status]) expect(next.status).toBe(state.status)
        state = next
      }
    }),
  )
})

test('progress does not depend on the order of reports; nor does the state, unless both undelivered and failed were reported', () => {
  fc.assert(
    fc.property(
      current.chain((start) =>
        repeated(3).chain((list) => fc.tuple(fc.constant(start), fc.constant(list), shuffled(list))),
      ),
      ([start, one, other]) => {
        const [first, second] = [after(start, one).status, after(start, other).status]
        expect(rank[second]).toBe(rank[first])
        const said = new Set(one.map(({ status }) => status))
        if (!(said.has('undelivered') && said.has('failed'))) expect(second).toBe(first)
      },
    ),
  )
})

test('a report given again right away, or after any others, changes nothing more', () => {
  fc.assert(
    fc.property(current, repeated(3), fc.nat(), (start, received, at) => {
      const settled = after(start, received)
      if (received.length === 0) return
      expect(after(settled, [received[at % received.length]!])).toEqual(settled)
    }),
  )
})

test('it is delivered exactly when some report of any attempt says so, or it was before', () => {
  fc.assert(
    fc.property(current, repeated(3), (start, received) => {
      const said = received.some(({ status }) => status === 'delivered' || status === 'read')
      expect(after(start, received).status === 'delivered').toBe(said || start.status === 'delivered')
    }),
  )
})

test('observations and what other attempts fail with may be left out, or mixed in anywhere', () => {
  fc.assert(
    fc.property(current, repeated(3), (start, received) => {
      const telling = received.filter(
        ({ status, attempt }) =>
          status === 'delivered' || status === 'read' || (attempt === start.attempt && !isObservation(status)),
      )
      expect(after(start, telling)).toEqual(after(start, received))
    }),
  )
})

/** Attempts start while receipts of earlier ones still arrive. */
type Step = { begins: true } | Report

test('over several attempts the end depends on the last one and on whether any delivered, however receipts interleave', () => {
  const steps = fc.array(fc.oneof<fc.Arbitrary<Step>[]>(fc.constant({ begins: true }), anyReport(4)), { maxLength: 24 })
  fc.assert(
    fc.property(steps, (script) => {
      let state: Current = { status: 'queued', attempt: undefined }
      let begun = 0
      let since: Report[] = []
      let delivered = false
      for (const step of script) {
        if ('begins' in step) {
          // An attempt starts only while one is due, or after an operator's retry; delivered is final.
          if (state.status === 'delivered') continue
          state = { status: 'queued', attempt: ++begun }
          since = []
          continue
        }
        // No receipt precedes its attempt.
        if (step.attempt > begun) continue
        state = after(state, [step])
        delivered ||= step.status === 'delivered' || step.status === 'read'
        if (step.attempt === begun) since.push(step)
      }
      const alone = after({ status: 'queued', attempt: begun === 0 ? undefined : begun }, since).status
      expect(state.status).toBe(delivered ? 'delivered' : alone)
    }),
  )
})
