import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { cellConfig, publicUrl } from './cells.ts'
import { loadConfig } from './config.ts'

const Config = z.object(cellConfig)

test('an installation has no name and knows no other by default', () => {
  expect(loadConfig(Config, {})).toEqual({ CELLS: new Map() })
})

test('the addresses of cells are read without the slash at the end', () => {
  const CELLS = 'eu1=https://eu1.example.com/, us1=https://api.example.com/cells/us1'
  expect([...loadConfig(Config, { CELL: 'eu1', CELLS }).CELLS]).toEqual([
    ['eu1', 'https://eu1.example.com'],
    ['us1', 'https://api.example.com/cells/us1'],
  ])
})

test.each(['https://api.example.com', 'https://api.example.com/cells/eu1'])(
  'the public address %s is read without the slash at the end, because paths follow it',
  (address) => {
    const Public = z.object({ PUBLIC_URL: publicUrl })
    for (const PUBLIC_URL of [address, `${address}/`])
      expect(loadConfig(Public, { PUBLIC_URL })).toEqual({ PUBLIC_URL: address })
  },
)

test.each(['eu1', 'eu1=', 'eu1=ftp://x', 'EU1=https://x', 'e_u=https://x', 'eu1=https://a,eu1=https://b'])(
  'CELLS=%s is refused',
  (CELLS) => {
    expect(() => loadConfig(Config, { CELLS })).toThrow('CELLS: must be name=https://host')
  },
)

test.each(['EU1', '1eu', 'eu-1', 'e'.repeat(17)])('CELL=%s is refused', (CELL) => {
  expect(() => loadConfig(Config, { CELL })).toThrow('CELL: must be 1 to 16')
})
