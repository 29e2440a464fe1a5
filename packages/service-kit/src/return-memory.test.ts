import { beforeEach, expect, test } from '@jest/globals'
import { createCollector } from './return-memory.ts'

const mebibyte = 1024 * 1024
let bytes: number
/** What a collection leaves. */
let inUse: number
let busy: number
let collections: number
let look: () => void

beforeEach(() => {
  bytes = 40 * mebibyte
  inUse = 45 * mebibyte
  busy = 0
  collections = 0
  look = createCollector({
    bytes: () => bytes,
    busyShare: () => busy,
    collect() {
      collections++
      bytes = inUse
    },
  })
})

test('the garbage of a burst is collected once, when the process is idle again', () => {
  bytes = 300 * mebibyte
  busy = 0.5
  look()
  expect(collections).toBe(0)
  busy = 0.01
  look()
  look()
  expect(collections).toBe(1)
})

test('the garbage of a little traffic is left to V8', () => {
  bytes = 100 * mebibyte
  for (let n = 0; n < 10; n++) look()
  expect(collections).toBe(0)
})

test('memory that V8 gave back by itself is taken again before the next collection', () => {
  bytes = 20 * mebibyte
  look()
  bytes = 90 * mebibyte
  look()
  expect(collections).toBe(1)
})

test('long-lived memory is collected once', () => {
  inUse = 300 * mebibyte
  bytes = inUse
  for (let n = 0; n < 10; n++) look()
  expect(collections).toBe(1)
})
