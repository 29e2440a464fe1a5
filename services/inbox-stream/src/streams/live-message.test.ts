import { expect, test } from '@jest/globals'
import type { InboxEvent } from './inbox-event.ts'
import { preferencesSignal, readLiveMessage, writeLiveMessage, writePreferencesSignal } from './live-message.ts'

const event = (seq: number, content: Buffer | null): InboxEvent => ({
  seq,
  kind: content ? 'created' : 'deleted',
  item_id: `inapp_${seq}`,
  unread_count: seq,
  content,
  created_at: content ? '2026-01-01T00:00:00.000Z' : null,
})

test('events come out as they went in, whatever bytes their contents have', () => {
  const contents = [Buffer.from('\n[{]\n\0'), null, Buffer.alloc(0), Buffer.from([255, 10, 0, 128])]
  const events = contents.map((content, at) => event(at + 1, content))
  expect(readLiveMessage(writeLiveMessage(events))).toEqual(events)
})

test('a message that is part of a larger buffer is read alone', () => {
  const events = [event(1, Buffer.from('one'))]
  const text = writeLiveMessage(events)
  const around = Buffer.concat([Buffer.from('before\n'), text, Buffer.from('\nafter')])
  expect(readLiveMessage(new Uint8Array(around.buffer, around.byteOffset + 7, text.length))).toEqual(events)
})

test.each(['', '\n', 'x', '{"seq":1}\n', '[{"seq":1}'])('a text that is no live message is an error: %j', (text) => {
  expect(() => readLiveMessage(Buffer.from(text))).toThrow()
})

test('the signal of changed preferences is no event', () => {
  expect(readLiveMessage(writePreferencesSignal())).toBe(preferencesSignal)
})
