import { expect, test } from '@jest/globals'
import { readText } from './sources.ts'

test('docs/api.md counts the paths of the OpenAPI document and of each area', () => {
  const { paths } = JSON.parse(readText('content/openapi.json')) as {
    paths: Record<string, Record<string, { tags?: string[] }>>
  }
  const areas = Object.values(paths).map((item) => Object.values(item).find(({ tags }) => tags)!.tags![0]!)
  const counted = Map.groupBy(areas, (area) => area)
  const text = readText('docs/api.md')
  const told = [...text.matchAll(/^\| `([\w-]+)` +\| (\d+) /gm)].map(([, area, count]) => [area, Number(count)])
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries([...counted].map(([area, all]) => [area, all.length])))
  expect(text).toContain(`It has ${areas.length} paths`)
})
