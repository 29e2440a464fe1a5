import { expect, test } from '@jest/globals'
import { requestOf, valuesOf } from './form-values.ts'

const application = {
  application_id: 'app_01jd0000000000000000000000',
  name: 'Shop',
  allowed_origins: ['https://shop.example', 'https://admin.shop.example'],
  otp: { allowed_countries: ['+44', '+49'], autofill_host: 'shop.example', sends_per_minute: 60 },
  default_locale: 'pt-BR',
  default_time_zone: 'America/Sao_Paulo',
  bulk_requires_topic: true,
  brand: { color: '#0a5dc2', logo_url: 'https://shop.example/logo.svg' },
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
}

test('an unchanged form sends the values that its fields show', () => {
  const { application_id: _, created_at, updated_at, ...settings } = application
  expect(requestOf(valuesOf(application))).toEqual(settings)
})

test('an emptied field removes its setting, and empty lines are none', () => {
  const texts = { origins: '\n https://a.example \n\n', countries: ' \n', locale: ' ', color: ' ', logo: '' }
  const values = { ...valuesOf(application), ...texts, autofillHost: '', timeZone: '' }
  expect(requestOf({ ...values, sendsPerMinute: ' ' })).toEqual({
    name: 'Shop',
    default_locale: null,
    default_time_zone: null,
    allowed_origins: ['https://a.example'],
    otp: { allowed_countries: null, autofill_host: null, sends_per_minute: null },
    bulk_requires_topic: true,
    brand: {},
  })
})

test('text in the place of a number reaches the service, which refuses it at its field', () => {
  expect(requestOf({ ...valuesOf(application), sendsPerMinute: 'many' }).otp.sends_per_minute).toBe('many')
})
