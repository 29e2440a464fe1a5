import { expect, test } from '@jest/globals'
import { createNotification } from '@notify/contracts'
import { httpAttributes } from './http-attributes.ts'

test('a request is counted by method, route and status', () => {
  expect(httpAttributes('POST', createNotification, 202)).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 202,
    'http.route': '/api/v1/notifications',
  })
})

test.each(['get', 'EVIL-1', undefined])(
  'callers cannot make series: the method %s is _OTHER, no route is no label',
  (method) => {
    expect(httpAttributes(method, undefined, 404)).toEqual({
      'http.request.method': '_OTHER',
      'http.response.status_code': 404,
    })
  },
)
