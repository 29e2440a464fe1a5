import { expect, test } from '@jest/globals'
import { processNames } from './process-names.ts'
import { stopOrder } from './stop-order.ts'

test('a stop ends every process', () => {
  expect(stopOrder.flat().sort()).toEqual([...processNames].sort())
})
