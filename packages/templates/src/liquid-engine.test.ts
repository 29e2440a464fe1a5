import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { createEngine } from './liquid-engine.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../docs/templates.md'), 'utf8')

test.each([true, false])('docs/templates.md names the filters that there are, and no other', (escapes) => {
  const { filters } = createEngine({ parseLimit: 1000, escapes })
  const [, list] = /^Filters: ([\s\S]*?)\.$/m.exec(guide)!
  expect(list!.split(/,\s+/)).toEqual(
    Object.keys(filters)
      .sort()
      .map((name) => `\`${name}\``),
  )
})
