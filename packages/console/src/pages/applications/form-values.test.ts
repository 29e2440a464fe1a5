import { expect, test } from '@jest/globals'
import { requestOf, valuesOf } from './form-values.ts'

const application = {
  application_id: 'app_01jd0000000000000000000000',
  name: 'Shop',
  allowed_origins: ['https://shop.example', 'https://admin.shop.example'],
  otp: { allowed_countries: ['+44', '+49'], autofill_host: 'shop.example', sends_per_minute: 60 },
  default_locale: null,
  default_time_zone: null,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
}

test('an unchanged form sends the values that its fields show', () => {
  const { name, allowed_origins, otp } = application
  expect(requestOf(valuesOf(application))).toEqual({ name, allowed_origins, otp })
})

test('an emptied field removes its setting, and empty lines are none', () => {
  const values = { ...valuesOf(application), origins: '\n https://a.example \n\n', countries: ' \n', autofillHost: '' }
  expect(requestOf({ ...values, sendsPerMinute: ' ' })).toEqual({
    name: 'Shop',
    allowed_origins: ['https://a.example'],
    otp: { allowed_countries: null, autofill_host: null, sends_per_minute: null },
  })
})

test('text in the place of a number reaches the service, which refuses it at its field', () => {
  expect(requestOf({ ...valuesOf(application), sendsPerMinute: 'many' }).otp.sends_per_minute).toBe('many')
})
