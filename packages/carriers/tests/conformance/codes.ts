import { expect, test } from '@jest/globals'
import type { CarrierAnswer } from '../../src/sending.ts'
import { carrierBy } from './broken-carrier.ts'
import { type CarrierFixture, type CodeMeaning, wanted } from './fixture.ts'
import type { World } from './world.ts'

const later = { outcome: 'rejected_retryable' } as const
const permanent = { outcome: 'rejected_permanent' } as const

const meanings: Record<CodeMeaning, Partial<CarrierAnswer>> = {
  permanent,
  stopped: { ...permanent, suppress: 'stop' },
  later,
  recipientWaits: { ...later, recipientOnly: true },
  accountDown: { ...later, providerDown: true },
  carrierFault: { ...later, carrierFault: true },
  unknown: { outcome: 'unknown', carrierFault: true },
}

/** What each documented code means, as a refusal and in a receipt. */
export function testCodes({ codes }: CarrierFixture, worldOf: () => World): void {
  if (!codes) return
  const { table, answer, documented } = codes
  const expected = Object.fromEntries(
    Object.entries(documented).flatMap(([meaning, list]) =>
      list.split(/\s+/).map((code) => [code, meanings[meaning as CodeMeaning]]),
    ),
  )

  test('every documented code has its verdict, and no other code is listed', async () => {
    expect(table.listed.toSorted()).toEqual(Object.keys(expected).toSorted())
    const judged: typeof expected = {}
    let code = ''
    const { url } = await carrierBy((_request, response) => {
      const { status, body } = answer(code)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    for (code of Object.keys(expected)) {
      const { outcome, suppress, recipientOnly, providerDown, carrierFault } = await worldOf().send(wanted.delivered, {
        apiUrl: url,
      })
      judged[code] = { outcome, suppress, recipientOnly, providerDown, carrierFault } as Partial<CarrierAnswer>
    }
    expect(judged).toEqual(expected)
  })

  test('a receipt with such a code may be retried unless the code is permanent, and suppresses whom it says', () => {
    for (const [code, { outcome, suppress }] of Object.entries(expected)) {
      const { retryable, suppress: suppressed } = table.explain(code)
      expect([code, retryable, suppressed]).toEqual([code, outcome !== 'rejected_permanent', suppress])
    }
  })
}
