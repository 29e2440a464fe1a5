import { expect, test } from '@jest/globals'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { ownMappings } from './own-mappings.ts'

const map = {
  version: 3,
  sources: [
    'node_modules/pg/client.js',
    'services/otp/src/main.ts',
    'node_modules/zod/index.js',
    'packages/privacy/src/seal.ts',
  ],
  names: ['name'],
  mappings: encode([
    [
      [0, 0, 0, 0],
      [9, 1, 4, 2, 0],
      [20, 1, 5, 0],
      [30, 2, 0, 0],
      [40, 2, 1, 0],
    ],
    [
      [0, 2, 2, 0],
      [7, 3, 8, 1],
    ],
    [[0, 0, 9, 0]],
  ]),
}

test('positions in our sources stay, and what follows them in a package counts as none of ours', () => {
  const kept = JSON.parse(ownMappings(JSON.stringify(map)))
  expect(kept.sources).toEqual(['services/otp/src/main.ts', 'packages/privacy/src/seal.ts'])
  expect(decode(kept.mappings)).toEqual([[[9, 0, 4, 2], [20, 0, 5, 0], [30]], [[7, 1, 8, 1]], [[0]]])
})
