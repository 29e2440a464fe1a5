import { expect, test } from '@jest/globals'
import { traceparentOf } from './read-traceparent.ts'

const one = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const other = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203332-01'

test.each<[string, string, string | undefined, string | undefined]>([
  ['the header', '/callbacks', one, one],
  ['the query, which a carrier repeats', `/callbacks?id=1&traceparent=${one}`, undefined, one],
  ['the query in the middle', `/callbacks?traceparent=${one}&id=1`, undefined, one],
  ['the header before the query', `/callbacks?traceparent=${one}`, other, other],
  ['the query when the header is none', `/callbacks?traceparent=${one}`, 'nonsense', one],
  ['nothing without either', '/callbacks?id=1', undefined, undefined],
  ['nothing of a query that is none', '/callbacks?traceparent=nonsense', undefined, undefined],
  ['nothing of a path', `/traceparent=${one}`, undefined, undefined],
  ['nothing of another parameter', `/callbacks?xtraceparent=${one}`, undefined, undefined],
])('the trace of a request is that of %s', (_what, url, header, found) => {
  expect(traceparentOf({ url, headers: header === undefined ? {} : { traceparent: header } })).toBe(found)
})
