import { expect, test } from '@jest/globals'
import { createPositions, shareByWeight } from './share-by-weight.ts'

const provider = (id: string, priority: number, weight: number) => ({ id, priority, weight })

/** How often each provider is the first of 10,000. */
function sharesOf(providers: ReturnType<typeof provider>[]): Record<string, number> {
  const next = shareByWeight(providers, createPositions())
  const shares: Record<string, number> = {}
  for (let sent = 0; sent < 10_000; sent++) {
    const [{ id }] = next() as [(typeof providers)[0]]
    shares[id] = (shares[id] ?? 0) + 1
  }
  return shares
}

test.each([[[100, 100]], [[90, 10]], [[100, 1]], [[5, 3, 2]], [[1, 100, 100, 7]]])(
  'over 10,000 messages the shares of the weights %j hold within 5 %%',
  (weights) => {
    const shares = sharesOf(weights.map((weight, at) => provider(`p${at}`, 1, weight)))
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    weights.forEach((weight, at) => {
      const expected = (10_000 * weight) / total
      expect(Math.abs(shares[`p${at}`]! - expected)).toBeLessThanOrEqual(expected * 0.05)
    })
  },
)

test.each([1, 2, 3, 4, 5, 6, 7])('shares hold when the providers are loaded again after %i messages', (each) => {
  const positions = createPositions()
  const providers = [provider('large', 1, 90), provider('small', 1, 10)]
  let small = 0
  for (let load = 0; load < 2000; load++) {
    const next = shareByWeight(providers, positions)
    for (let sent = 0; sent < each; sent++) small += next()[0]!.id === 'small' ? 1 : 0
  }
  expect(Math.abs(small - 200 * each)).toBeLessThanOrEqual(10 * each)
})

test('the priority decides before the weight; of one priority all are tried, those without a weight last', () => {
  const next = shareByWeight(
    [provider('reserve', 2, 100), provider('new', 1, 0), provider('warm', 1, 1), provider('old', 1, 99)],
    createPositions(),
  )
  for (let sent = 0; sent < 1000; sent++) {
    const ids = next().map(({ id }) => id)
    expect(ids.slice(0, 2).sort()).toEqual(['old', 'warm'])
    expect(ids.slice(2)).toEqual(['new', 'reserve'])
  }
})

test('without any weight the order stays, and one provider of each priority costs nothing', () => {
  expect(shareByWeight([provider('a', 1, 0), provider('b', 1, 0)], createPositions())().map(({ id }) => id)).toEqual([
    'a',
    'b',
  ])
  const next = shareByWeight([provider('a', 1, 7), provider('b', 2, 100)], createPositions())
  expect(next()).toBe(next())
})
