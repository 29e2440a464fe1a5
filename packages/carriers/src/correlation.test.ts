import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { correlated, correlationOfUrl, readCorrelation } from './correlation.ts'

test('our correlation is read from the address, and anything else is ignored', () => {
  const [notification_id, attempt_id, provider_id] = [newId('notif'), newId('att'), newId('prov')]
  const query = new URLSearchParams({ notification_id, attempt_id, provider_id })
  expect(correlationOfUrl(`/callbacks?${query}`)).toEqual({ notification_id, attempt_id, provider_id })
  expect(correlationOfUrl(`/callbacks?notification_id=${attempt_id}&attempt_id='--`)).toEqual({
    notification_id: undefined,
    attempt_id: undefined,
    provider_id: undefined,
  })
  expect(correlationOfUrl('/callbacks')).toEqual({})
})

test('a receipt names notification and attempt, or neither', () => {
  const [notification_id, attempt_id] = [newId('notif'), newId('att')]
  expect(correlated(readCorrelation({ notification_id, attempt_id }))).toEqual({ notification_id, attempt_id })
  expect(correlated(readCorrelation({ notification_id }))).toEqual({})
  expect(correlated(readCorrelation({ attempt_id, notification_id: 7 }))).toEqual({})
})
