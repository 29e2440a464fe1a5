import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { shownPath } from './shown-path.ts'

const id = newId('notif')

test.each([
  [
    '/api/v1/notifications/:notification_id',
    `/api/v1/notifications/${id}?a=+15551230001`,
    `/api/v1/notifications/${id}`,
  ],
  [
    '/api/v1/notifications/:notification_id',
    '/api/v1/notifications/ada@example.com',
    '/api/v1/notifications/{notification_id}',
  ],
  [
    '/api/v1/whatsapp/opt-ins/:phone_e164',
    '/api/v1/whatsapp/opt-ins/%2B15551230001',
    '/api/v1/whatsapp/opt-ins/{phone_e164}',
  ],
  ['/api/v1/users/:user_id', `/api/v1/users/${id}`, '/api/v1/users/{user_id}'],
  ['/api/v1/topics/:topic_key', '/api/v1/topics/user_01h2xcejqtf2nbrexx3vqjhp41', '/api/v1/topics/{topic_key}'],
  [undefined, '/api/v1/notification', '/api/v1/notification'],
  [undefined, '/api/v1/notification/ada?to=ada', '/api/v1/notification/…'],
  [undefined, '/api/v1/ada@example.com', '/api/v1/…'],
  [undefined, '/+15551230001', '/…'],
  [undefined, '', '/…'],
])('of route %s and path %s %s is shown', (path, url, shown) => {
  expect(shownPath(path === undefined ? undefined : { path: path as `/${string}` }, url)).toBe(shown)
})
